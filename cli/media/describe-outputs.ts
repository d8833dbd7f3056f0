import { analysisFile } from '../../contract/analysis-settings.ts';
import { filmImageFile } from '../../contract/film-image-settings.ts';
import { isFilmImageKind } from '../../contract/analyses.ts';
import { containers } from '../../contract/formats.ts';
import { analysisKindOf } from '../../contract/http/analysis.ts';
import type { RequestedLoudness } from '../../contract/http/loudness.ts';
import type { Track } from '../../contract/http/audio.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import { UnsupportedOutput } from '../../contract/output-settings.ts';
import type { Presets } from '../../contract/presets.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';
import { hasSeveralFiles } from '../../contract/several-files.ts';
import { CliError } from '../cli-error.ts';
import { type AnalysisArguments, describeAnalyses } from './analysis-arguments.ts';
import { describeContainer, type FilmArguments, hasPictures, withFilm } from './film-arguments.ts';
import { readJsonOutputs } from './json-outputs.ts';
import type { NamedOutput } from './output-names.ts';
import type { DescribedTags, TagArguments } from './tag-arguments.ts';

/** What `encode` is told of its outputs, as it is typed. */
export interface OutputArguments extends TagArguments, AnalysisArguments, FilmArguments {
  format: string[];
  preset: string[];
  /** JSON, or files with it */
  output?: string[];
  channels?: number;
  /** Hz */
  sampleRate?: number;
  loudness?: RequestedLoudness;
  track?: Track;
  /** seconds of the source */
  trimStart?: number;
  trimEnd?: number;
  /** seconds of the outputs */
  fadeIn?: number;
  fadeOut?: number;
  trimSilence: boolean;
  /** seconds */
  shortenSilence?: number;
  level?: 'speech';
}

/** An output that was asked for, with what names its file. */
export interface Wish extends NamedOutput {
  output: DescribedOutput;
  /** Its file says of itself what the tags are. */
  isTagged: boolean;
}

interface Surroundings {
  tags: DescribedTags;
  presets: Presets;
  userFolder: string;
}

/** What the options come to. What no container could make is refused here, before anything starts. */
export function describeOutputs(typed: OutputArguments, { tags, presets, userFolder }: Surroundings): Wish[] {
  const common = commonFields(typed);
  return askedOutputs(typed, presets, userFolder).map((described) => {
    const kind = analysisKindOf(described);
    const isTagged = kind === undefined;
    // An image of a film is one of all its pictures.
    const isOfPictures = kind !== undefined && isFilmImageKind(kind);
    const output: DescribedOutput = isOfPictures ? described : { ...common, ...described };
    try {
      const tagged = { ...(isTagged && tags.fieldsAt((name) => `file:///${name}`)), ...output };
      const { label, container, analysis, filmImage } = resolveOutput(tagged, presets);
      const { extension } =
        (filmImage && filmImageFile(filmImage)) ?? (analysis && analysisFile(analysis)) ?? containers[container];
      return { output, isTagged, label, extension: hasSeveralFiles(output, presets) ? undefined : extension };
    } catch (error) {
      if (error instanceof UnsupportedOutput) throw new CliError(error.message);
      throw error;
    }
  });
}

function askedOutputs(typed: OutputArguments, presets: Presets, userFolder: string): DescribedOutput[] {
  const { channels, sampleRate, loudness } = typed;
  const fromJson = readJsonOutputs(typed.output ?? [], userFolder);
  const encoded = [
    ...typed.format.map((format) => ({ format })),
    ...typed.preset.map((preset) => ({ preset })),
    ...describeContainer(typed),
    ...fromJson.filter((output) => analysisKindOf(output) === undefined),
  ];
  const { width, height, fit, ...sizeless } = typed;
  const hasFilm = encoded.some((output) => hasPictures(output, presets));
  if (hasFilm && (width ?? height ?? fit) !== undefined && (typed.image ?? []).length > 0) {
    throw new CliError(
      '--width, --height and --fit are of films and of images: say by --output which of them is to have them.',
    );
  }
  return [
    ...withFilm(encoded, hasFilm ? typed : sizeless, presets).map((output) => ({
      ...{ channels, sampleRate, loudness },
      ...output,
    })),
    ...describeAnalyses(hasFilm ? sizeless : typed),
    ...fromJson.filter((output) => analysisKindOf(output) !== undefined),
  ];
}

/** Of all outputs. */
function commonFields(typed: OutputArguments): DescribedOutput {
  const { track, level } = typed;
  const trim = { start: typed.trimStart, end: typed.trimEnd };
  const fade = { in: typed.fadeIn, out: typed.fadeOut };
  const isTrimmed = typed.trimSilence ? true : undefined;
  const pauses = { trimStart: isTrimmed, trimEnd: isTrimmed, shortenTo: typed.shortenSilence };
  const silence = isSaid(pauses) ? { ...pauses, threshold: typed.silenceThreshold } : pauses;
  return {
    ...{ track, level },
    ...(isSaid(trim) && { trim }),
    ...(isSaid(fade) && { fade }),
    ...(isSaid(silence) && { silence }),
  };
}

function isSaid(fields: object): boolean {
  return Object.values(fields).some((value) => value !== undefined);
}
