import type { EncryptionSettings } from '../../../contract/encryption-settings.ts';
import { type OutputSettings, UnsupportedOutput, type VideoSettings } from '../../../contract/output-settings.ts';
import type { PerTitleFacts } from '../../../contract/http/per-title.ts';
import type { PackageSettings, PackageTrackSettings } from '../../../contract/package-settings.ts';
import type { SubtitleSettings } from '../../../contract/subtitle-settings.ts';
import { cueWindows, planOutput } from '../file/plan-output.ts';
import type { Source } from '../../source/source.ts';
import type { SubtitlePlan } from '../../plan/subtitle-plan.ts';
import type { SubtitleOfLink } from '../../subtitles/subtitle-source.ts';
import { chooseTrack } from '../../source/track.ts';
import { orUnsupported } from '../../unsupported.ts';
import { soundBeside } from '../../pictures/film-cut.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { plannedSeconds } from '../../pictures/video-timing.ts';
import type { VideoPlan } from '../../plan/video-plan.ts';
import type { WatermarkImage } from '../../plan/video-plan.ts';
import { chooseRenditions } from './choose-renditions.ts';
import type { PackageSubtitles } from './offer-subtitles.ts';
import { planPackageSubtitles } from './plan-subtitles.ts';
import { knownLanguage, languageName, numberAlike } from './track-names.ts';
import type { OutputPlan } from '../../plan/planned-output.ts';

/** One size of the pictures, or one track of the sound, which is made as a file of its own and then packaged. */
export interface PackagePart {
  kind: 'video' | 'audio';
  /** Of its folder, or its file. */
  name: string;
  plan: OutputPlan;
  path: string;
  /** Of sound, as players show it. */
  language?: string | undefined;
  title?: string;
}

/** How its segments are encrypted. */
export interface Encryption extends Omit<EncryptionSettings, 'key'> {
  /** 16 bytes, which nothing that is logged, told or stored may have. */
  key: Buffer;
}

/** Every figure of a package. */
export interface PackagePlan extends Pick<PackageSettings, 'kinds' | 'layout'> {
  parts: PackagePart[];
  /** Seconds of one segment, in whole pictures, and of what lies between two key frames. */
  segmentSeconds: number;
  keyframeSeconds: number;
  encryption?: Encryption | undefined;
  subtitles?: PackageSubtitles[];
  /** What is told of them. */
  subtitlePlan?: SubtitlePlan | undefined;
  /** How its sizes were chosen, where they were tried. */
  perTitle?: PerTitleFacts;
}

/** The answer names each file, and stays in the history of a run, which takes 2 MB. */
const mostFiles = 5000;

/** Decides all of a package (pure). Parts are made at paths that begin with `path`. */
export function planPackage(
  output: OutputSettings & { package: PackageSettings },
  source: Source,
  { image, subtitleOf }: { image: WatermarkImage | undefined; subtitleOf: SubtitleOfLink },
  path: string,
): PackagePlan {
  const { kinds, layout, tracks: asked } = output.package;
  return orUnsupported(() => {
    const hasSound = source.audio !== undefined || output.needsAudio;
    const tracks = hasSound ? asked.map((track) => ({ ...track, number: chooseTrack(track.output, source) })) : [];
    const films = planFilms(output, tracks, source, { image, subtitleOf });
    const [film] = films;
    const parts = [
      ...films.map((plan): Omit<PackagePart, 'path' | 'name'> => ({ kind: 'video', plan })),
      ...tracks.flatMap((track) => soundPart(track, film?.video, source, output.needsAudio) ?? []),
    ];
    if (parts.length === 0)
      throw new UnsupportedOutput(output, 'the source has no sound, and it was to have no pictures');
    const named = nameParts(parts, path);
    const lengths = segmentLengths(output.package, film?.video);
    checkFileCount(output, film?.video, source, { segmentSeconds: lengths.segmentSeconds, parts: parts.length });
    return { ...{ kinds, layout }, parts: named, ...lengths, ...textsOf(output, film, source, subtitleOf) };
  });
}

interface ChosenTrack extends PackageTrackSettings {
  number: Source['tracks'][number];
}

/** The pictures of each size. All begin at the same time, with the sound that begins first. */
function planFilms(
  output: OutputSettings & { package: PackageSettings },
  tracks: readonly ChosenTrack[],
  source: Source,
  { image, subtitleOf }: { image: WatermarkImage | undefined; subtitleOf: SubtitleOfLink },
): (OutputPlan & { video: VideoPlan })[] {
  const { pictures } = source;
  if (output.video === undefined || pictures === undefined) return [];
  const startOf = ({ number: { track } }: ChosenTrack): number => pictures.soundStarts[track] ?? Infinity;
  const earliest = tracks.toSorted((one, other) => startOf(one) - startOf(other))[0];
  const needsAudio = earliest !== undefined && output.needsAudio;
  const sound = { audio: earliest?.output.audio, track: earliest?.output.track, needsAudio };
  const planFilm = (video: VideoSettings): (OutputPlan & { video: VideoPlan })[] => {
    const own = { ...output, ...sound, video, subtitles: burntAlone(output.subtitles) };
    const { audio: _, video: planned, ...plan } = planOutput(own, source, image, subtitleOf);
    return planned === undefined ? [] : [{ ...plan, video: planned }];
  };
  const asked = output.package.renditions?.flatMap(({ video = [] }) => video);
  return (asked ?? suitableSizes(output.video, pictures, planFilm(output.video)[0]?.video)).flatMap(planFilm);
}

/** Those that are kept or added are files of the package, and none of its pictures. */
function burntAlone(subtitles: SubtitleSettings | undefined): SubtitleSettings | undefined {
  return subtitles?.burn && { keep: [], add: [], burn: subtitles.burn };
}

/** On the clock of the pictures, which begin at 0. */
function textsOf(
  output: OutputSettings,
  film: (OutputPlan & { video: VideoPlan }) | undefined,
  source: Source,
  subtitleOf: SubtitleOfLink,
): Pick<PackagePlan, 'subtitles' | 'subtitlePlan'> {
  if (film === undefined) return {};
  const { plan, tracks } = planPackageSubtitles(output, source, subtitleOf, cueWindows(film.video, undefined).whole);
  const burnt = film.subtitles?.burnt;
  return { subtitles: tracks, subtitlePlan: plan && { ...plan, ...(burnt !== undefined && { burnt }) } };
}

/** The largest is what the output would be as one film. */
function suitableSizes(video: VideoSettings, { bitrate }: PictureSource, film: VideoPlan | undefined): VideoSettings[] {
  if (film === undefined) return [];
  const { size } = film.shape;
  const most = Math.min(bitrate > 0 ? bitrate : Infinity, video.maxBitrate ?? Infinity);
  const rungs = chooseRenditions(video.codec, { ...size, bitrate: Number.isFinite(most) ? most : 0 });
  return rungs.map(({ width, height, maxBitrate }) => {
    const factor = (width ?? height ?? 0) / Math.min(size.width, size.height);
    const whole = { width: Math.round(size.width * factor), height: Math.round(size.height * factor) };
    return { ...video, ...(video.fit === 'contain' ? { width, height } : whole), maxBitrate };
  });
}

/** In step with the pictures to the sample; undefined where it is over before they begin. */
function soundPart(
  { output, language, name, number: track }: ChosenTrack,
  film: VideoPlan | undefined,
  source: Source,
  isNeeded: boolean,
): Omit<PackagePart, 'path' | 'name'> | undefined {
  const soundStart = source.pictures?.soundStarts[track.track];
  const shown = language ?? knownLanguage(track.language);
  const part = { kind: 'audio', language: shown, title: name ?? languageName(shown) ?? 'Sound' } as const;
  if (film === undefined || soundStart === undefined) return { ...part, plan: planOutput(output, source, undefined) };
  const beside = soundBeside(track, soundStart, film.cut);
  if (beside.isOver && !isNeeded) return undefined;
  const tracks = source.tracks.map((one) => (one.track === track.track ? beside.track : one));
  return { ...part, plan: planOutput({ ...output, trim: beside.trim }, { ...source, tracks }, undefined) };
}

/** `v720`, `a`; of several alike each with a number. Players tell tracks apart by their titles. */
export function nameParts(parts: readonly Omit<PackagePart, 'path' | 'name'>[], path: string): PackagePart[] {
  const names = numberAlike(
    parts.map(({ plan }) => (plan.video === undefined ? 'a' : `v${plan.video.shape.size.height}`)),
    '-',
  );
  const titles = numberAlike(
    parts.map(({ title = '' }) => title),
    ' ',
    // The same sound in another codec has the same title: players show one of them.
    parts.map(({ plan }) => plan.audio?.codec),
  );
  return parts.map((part, index) => ({
    ...part,
    name: names[index] ?? '',
    path: `${path}-${names[index]}`,
    ...(part.title !== undefined && { title: titles[index] ?? part.title }),
  }));
}

function segmentLengths(
  { segmentSeconds }: PackageSettings,
  film: VideoPlan | undefined,
): Pick<PackagePlan, 'segmentSeconds' | 'keyframeSeconds'> {
  const wanted = film?.keyframeSeconds;
  if (wanted === undefined) return { segmentSeconds, keyframeSeconds: Math.min(2, segmentSeconds) };
  const distances = Math.max(1, Math.round(segmentSeconds / wanted));
  const keyframeSeconds = film?.timing.kind === 'constant' ? wholePictures(wanted, film.timing.fps) : wanted;
  return { segmentSeconds: distances * keyframeSeconds, keyframeSeconds };
}

function wholePictures(seconds: number, fps: Rational): number {
  return Math.max(1, Math.round(seconds * valueOf(fps))) / valueOf(fps);
}

function checkFileCount(
  output: OutputSettings & { package: PackageSettings },
  film: VideoPlan | undefined,
  source: Source,
  { segmentSeconds, parts }: { segmentSeconds: number; parts: number },
): void {
  if (output.package.layout === 'byte_ranges') return;
  const seconds = film === undefined ? (source.estimatedSeconds ?? 0) : plannedSeconds(film.timing);
  const files = Math.ceil(seconds / segmentSeconds) * parts;
  if (files <= mostFiles) return;
  throw new UnsupportedOutput(
    output,
    `it would have about ${files} files, and ${mostFiles} are the most; ask for "layout": "byte_ranges", or for longer segments`,
  );
}
