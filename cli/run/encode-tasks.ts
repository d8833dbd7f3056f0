import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Staging } from '../../client/staging.ts';
import type { SpreadInput } from '../../contract/workflow/spread.ts';
import { previewTrim } from '../../contract/preview.ts';
import { CliError } from '../cli-error.ts';
import { assertAbsent, assertNoFolders, assertWritable } from '../media/delivery.ts';
import { describeOutputs, type OutputArguments, type Wish } from '../media/describe-outputs.ts';
import {
  assertFindsExisting,
  type Destination,
  destinationBelow,
  isFolderName,
  parseDestination,
  uploadPlace,
  uploadUrl,
} from '../media/destination.ts';
import { describeFilmCaptions, type FilmCaptions } from '../media/film-captions.ts';
import type { NamedSource } from '../media/named-source.ts';
import { nameOutputs } from '../media/output-names.ts';
import type { OutputOwners } from '../media/output-owners.ts';
import { type DescribedPictureFields, describePictureFields } from '../media/picture-fields.ts';
import { assertPreviewable } from '../media/preview.ts';
import { readPresets } from '../media/presets.ts';
import { type DeliveryPlan, localInputs } from '../media/run-delivery.ts';
import type { ListedSource } from '../media/source-list.ts';
import { type CompanionFile, describeTags, type DescribedTags } from '../media/tag-arguments.ts';
import type { Settings } from '../settings.ts';
import type { FileOptions, RunTask, SkippedTask } from './workflow-command.ts';

/** What an `encode` or `watch` makes of each source. */
export interface EncodeWishes {
  wishes: Wish[];
  tags: DescribedTags;
  pictures: DescribedPictureFields;
  /** Undefined: films get no captions. */
  captions: FilmCaptions | undefined;
  /** Undefined: one container encodes each source. */
  spread: SpreadInput | undefined;
  /** Encodes ten seconds only. */
  isPreview: boolean;
  /** Options that decide where and how the outputs are written. */
  files: Pick<FileOptions, 'out' | 'overwrite' | 'skipExisting'>;
  userFolder: string;
}

/** Throws if no container could make one of the outputs. */
export function describeEncode(
  options: OutputArguments & EncodeWishes['files'] & { preview?: true },
  { userFolder, presetsFile }: Pick<Settings, 'userFolder' | 'presetsFile'>,
): EncodeWishes {
  const tags = describeTags(options, userFolder);
  const pictures = describePictureFields(options, userFolder);
  const presets = readPresets(presetsFile);
  const wishes = describeOutputs(options, { tags, pictures, presets, userFolder });
  const isPreview = options.preview === true;
  if (isPreview) assertPreviewable(wishes);
  const captions = describeFilmCaptions(options);
  return { wishes, tags, pictures, captions, spread: spreadOf(options), isPreview, files: options, userFolder };
}

/** Length of a segment if the command names the containers only. */
const defaultSegmentSeconds = 60;

function spreadOf({ spread, segmentSeconds }: OutputArguments): SpreadInput | undefined {
  if (typeof spread !== 'number' && segmentSeconds !== undefined) {
    throw new CliError('--segment-seconds needs --spread with a number of containers, such as --spread 8.');
  }
  if (spread === undefined) return undefined;
  return spread === true ? 'auto' : { containers: spread, segmentSeconds: segmentSeconds ?? defaultSegmentSeconds };
}

export function labelsOf(wishes: readonly Wish[]): string {
  return wishes.map(({ label }) => label).join(' + ');
}

type PlannedOutput = Wish & { name: string };

/** All outputs of one source. */
export interface OutputsPlan {
  source: NamedSource;
  outputs: PlannedOutput[];
  delivery: DeliveryPlan;
}

export function planOutputs({ source: listed, subfolder }: ListedSource, encode: EncodeWishes): OutputsPlan {
  const { wishes, files, isPreview, userFolder } = encode;
  const { out, overwrite, skipExisting } = files;
  const destination = destinationBelow(parseDestination(out, userFolder), subfolder);
  if (skipExisting) assertFindsExisting(destination);
  // A preview is `film.preview.mp4`, so that `film.mp4` is not written.
  const source = isPreview ? { ...listed, name: `${listed.name}.preview` } : listed;
  const names = nameOutputs(source, wishes, destination);
  const outputs = wishes.map((wish, index) => ({ ...wish, name: names[index] ?? '' }));
  return {
    source,
    outputs,
    delivery: { destination, names, overwrite, inputs: localInputs(source, companionsOf(encode)) },
  };
}

export function planTask(
  { source, outputs, delivery: { destination, inputs } }: OutputsPlan,
  encode: EncodeWishes,
  owners: OutputOwners,
): RunTask | SkippedTask {
  const { overwrite, skipExisting } = encode.files;
  const isThere = (name: string) => destination.kind === 'folder' && existsSync(join(destination.path, name));
  const isOutput = skipExisting && owners.isOutputOfAnother(source);
  const wanted = isOutput ? [] : skipExisting ? outputs.filter(({ name }) => !isThere(name)) : outputs;
  if (wanted.length === 0) {
    const skipped = isOutput ? 'It is the output of another source.' : 'Its outputs already exist.';
    return { source, target: labelsOf(outputs), skipped };
  }
  const delivery = { destination, names: wanted.map(({ name }) => name), overwrite, inputs };
  if (!overwrite) assertAbsent(placesOf(delivery));
  assertNoFolders(placesOf({ ...delivery, names: delivery.names.filter((name) => !isFolderName(name)) }));
  if (destination.kind === 'folder') assertWritable(destination.path);
  return {
    source,
    target: labelsOf(wanted),
    delivery,
    companions: companionsOf(encode),
    isPreview: encode.isPreview,
    buildInput: (sourceUrl, staging, seconds) => {
      const outputs = encode.isPreview ? wanted.map((one) => previewOf(one, seconds)) : wanted;
      return encodeInput(sourceUrl, staging, outputs, encode, destination);
    },
  };
}

function previewOf(one: PlannedOutput, seconds: number): PlannedOutput {
  return { ...one, output: { ...one.output, trim: previewTrim(one.output.trim ?? {}, seconds) } };
}

/** The workflow's input without the common fields. */
export function encodeInput(
  sourceUrl: string,
  staging: Staging,
  outputs: OutputsPlan['outputs'],
  { tags, pictures, captions, spread, isPreview }: EncodeWishes,
  destination: Destination,
): object {
  return {
    sourceUrl,
    outputs: outputs.map(({ name, output, isTagged, isFilm }) => ({
      ...(isTagged && tags.fieldsAt((file) => staging.fileUrl(file))),
      ...(isFilm && pictures.fieldsAt((file) => staging.fileUrl(file))),
      ...(isFilm && captions !== undefined && { captions: captions.field }),
      ...output,
      ...uploadPlace(destination, staging, name),
    })),
    ...(spread !== undefined && { spread }),
    ...(isPreview && { preview: true }),
    ...(captions !== undefined &&
      outputs.some(({ isFilm }) => isFilm) && {
        transcript: { ...captions.transcript, uploadUrlPrefix: transcriptPrefix(outputs, staging, destination) },
      }),
  };
}

/** Place of the transcript of a source: beside its first output, so that two sources never share it. */
function transcriptPrefix(outputs: OutputsPlan['outputs'], staging: Staging, destination: Destination): string {
  const [{ name } = { name: '' }] = outputs;
  return uploadUrl(destination, staging, `${name.replace(/\/$/, '')}.transcript/`);
}

function companionsOf({ tags, pictures }: EncodeWishes): CompanionFile[] {
  return [...tags.files, ...pictures.files];
}

/** Paths or URLs of the outputs. */
export function targetsOf({ destination, names }: DeliveryPlan): string[] {
  return names.map((name) =>
    destination.kind === 'folder' ? join(destination.path, name) : `${destination.prefix}${name}`,
  );
}

/** Paths of the outputs on this machine. */
export function placesOf(delivery: DeliveryPlan): string[] {
  return delivery.destination.kind === 'folder' ? targetsOf(delivery) : [];
}
