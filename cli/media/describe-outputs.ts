import { analysisFile } from '../../contract/analysis-settings.ts';
import { filmImageFile } from '../../contract/film-image-settings.ts';
import { isFilmImageKind } from '../../contract/analyses.ts';
import { containers } from '../../contract/formats.ts';
import { analysisKindOf } from '../../contract/http/analysis.ts';
import type { RequestedLoudness } from '../../contract/http/loudness.ts';
import type { Track } from '../../contract/http/audio.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import { UnsupportedOutput } from '../../contract/unsupported-output.ts';
import type { OutputSettings } from '../../contract/output-settings.ts';
import type { Presets } from '../../contract/presets.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';
import { hasSeveralFiles } from '../../contract/several-files.ts';
import { CliError } from '../cli-error.ts';
import { type AnalysisArguments, describeAnalyses } from './analysis-arguments.ts';
import { assertTargets, type CheckArguments, checksOfOutput } from './check-arguments.ts';
import { describeContainer, type FilmArguments, hasPictures, needsPictures, withFilm } from './film-arguments.ts';
import { readJsonOutputs } from './json-outputs.ts';
import type { NamedOutput } from './output-names.ts';
import type { FilmCaptionArguments } from './film-captions.ts';
import type { DescribedTags, TagArguments } from './tag-arguments.ts';
import type { DescribedPictureFields } from './picture-fields.ts';
import type { SubtitleArguments } from './subtitle-arguments.ts';
import type { WatermarkArguments } from './watermark-arguments.ts';

/** Options of `encode` that describe outputs. */
export interface OutputArguments
  extends
    TagArguments,
    AnalysisArguments,
    CheckArguments,
    FilmArguments,
    WatermarkArguments,
    SubtitleArguments,
    FilmCaptionArguments {
  format: string[];
  preset: string[];
  /** JSON texts or paths of JSON files. */
  output?: string[];
  /** Most containers that encode segments of films; true: all available ones. */
  spread?: number | true;
  segmentSeconds?: number;
  channels?: number;
  sampleRate?: number;
  loudness?: RequestedLoudness;
  track?: Track;
  /** Seconds of the source. */
  trimStart?: number;
  trimEnd?: number;
  /** Seconds of the outputs. */
  fadeIn?: number;
  fadeOut?: number;
  trimSilence: boolean;
  shortenSilence?: number;
  level?: 'speech';
  fragmented?: true;
}

/** A requested output with the parts of its file name. */
export interface Wish extends NamedOutput {
  output: DescribedOutput;
  /** The output takes tags. */
  isTagged: boolean;
  /** The output has pictures, so watermark and subtitles apply. */
  isFilm: boolean;
}

interface Surroundings {
  tags: DescribedTags;
  pictures: DescribedPictureFields;
  presets: Presets;
  userFolder: string;
}

/** Describes the requested outputs. Throws, before a run starts, if no container could make one. */
export function describeOutputs(typed: OutputArguments, { tags, pictures, presets, userFolder }: Surroundings): Wish[] {
  const common = commonFields(typed);
  assertTargets(typed);
  const asked = askedOutputs(typed, presets, userFolder);
  const unused = unusedOfPictures(typed);
  if (unused !== undefined && !asked.some((output) => hasPictures(output, presets))) throw needsPictures(unused);
  return asked.map((described) => {
    const kind = analysisKindOf(described);
    const isTagged = kind === undefined;
    // Common fields such as trim do not apply to film images, which cover the whole film.
    const isOfPictures = kind !== undefined && isFilmImageKind(kind);
    const isFilm = isTagged && hasPictures(described, presets);
    const checks = isTagged ? checksOfOutput(typed, isFilm) : {};
    const output: DescribedOutput = isOfPictures ? described : { ...common, ...checks, ...described };
    const urlOf = (name: string): string => `file:///${name}`;
    try {
      const drawn = isFilm && pictures.fieldsAt(urlOf);
      const tagged = { ...(isTagged && tags.fieldsAt(urlOf)), ...drawn, ...output };
      const settings = resolveOutput(tagged, presets);
      const extension = hasSeveralFiles(output, presets) ? undefined : extensionOf(settings);
      return { output, isTagged, isFilm, label: settings.label, extension };
    } catch (error) {
      if (error instanceof UnsupportedOutput) throw new CliError(error.message);
      throw error;
    }
  });
}

/** Undefined for packages, which have several files. */
export function extensionOf(output: OutputSettings): string | undefined {
  switch (output.kind) {
    case 'file':
      return containers[output.container].extension;
    case 'analysis':
      return analysisFile(output.analysis).extension;
    case 'image':
      return filmImageFile(output.image).extension;
    case 'package':
      return undefined;
  }
}

/** The first option that needs an output with pictures. */
function unusedOfPictures(typed: OutputArguments): string | undefined {
  const { watermark, quality, targetVmaf, subtitles, addSubtitles, burnSubtitles, captions } = typed;
  const ofPictures = {
    watermark,
    quality,
    'target-vmaf': targetVmaf,
    subtitles,
    'add-subtitles': addSubtitles,
    'burn-subtitles': burnSubtitles,
    captions,
  };
  const [name] = Object.entries(ofPictures).find(([, value]) => value !== undefined) ?? [];
  return name === undefined ? undefined : `--${name}`;
}

function askedOutputs(typed: OutputArguments, presets: Presets, userFolder: string): DescribedOutput[] {
  const { channels, sampleRate, loudness, fragmented } = typed;
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
      '--width, --height and --fit apply to video and to images. Use --output to set them for each output.',
    );
  }
  return [
    ...withFilm(encoded, hasFilm ? typed : sizeless, presets).map((output) => ({
      channels,
      sampleRate,
      loudness,
      fragmented,
      ...output,
    })),
    ...describeAnalyses(hasFilm ? sizeless : typed),
    ...fromJson.filter((output) => analysisKindOf(output) !== undefined),
  ];
}

function commonFields(typed: OutputArguments): DescribedOutput {
  const { track, level } = typed;
  const trim = { start: typed.trimStart, end: typed.trimEnd };
  const fade = { in: typed.fadeIn, out: typed.fadeOut };
  const isTrimmed = typed.trimSilence ? true : undefined;
  const pauses = { trimStart: isTrimmed, trimEnd: isTrimmed, shortenTo: typed.shortenSilence };
  const silence = isSaid(pauses) ? { ...pauses, threshold: typed.silenceThreshold } : pauses;
  return {
    track,
    level,
    ...(isSaid(trim) && { trim }),
    ...(isSaid(fade) && { fade }),
    ...(isSaid(silence) && { silence }),
  };
}

function isSaid(fields: object): boolean {
  return Object.values(fields).some((value) => value !== undefined);
}
