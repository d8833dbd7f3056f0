import { type OutputSettings, UnsupportedOutput, type VideoSettings } from '../../contract/output-settings.ts';
import type { PackageSettings, PackageTrackSettings } from '../../contract/package-settings.ts';
import { type OutputPlan, planOutput } from '../encode/output-plan.ts';
import type { Source } from '../encode/source.ts';
import { chooseTrack } from '../encode/track.ts';
import { orUnsupported } from '../encode/unsupported.ts';
import { soundBeside } from '../encode/video/film-cut.ts';
import { type Rational, valueOf } from '../encode/video/rational.ts';
import type { PictureSource } from '../encode/video/picture-source.ts';
import { plannedSeconds } from '../encode/video/video-timing.ts';
import type { VideoPlan } from '../encode/video/video-plan.ts';
import type { WatermarkImage } from '../encode/video/watermark-image.ts';
import { chooseRenditions } from './choose-renditions.ts';

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

/** Every figure of a package. */
export interface PackagePlan extends Pick<PackageSettings, 'kinds' | 'layout'> {
  parts: PackagePart[];
  /** Seconds of one segment, in whole pictures, and of what lies between two key frames. */
  segmentSeconds: number;
  keyframeSeconds: number;
}

/** The answer names each file, and stays in the history of a run, which takes 2 MB. */
const mostFiles = 5000;

/** Decides all of a package (pure). Parts are made at paths that begin with `path`. */
export function planPackage(
  output: OutputSettings & { package: PackageSettings },
  source: Source,
  image: WatermarkImage | undefined,
  path: string,
): PackagePlan {
  const { kinds, layout, tracks: asked } = output.package;
  return orUnsupported(() => {
    const hasSound = source.audio !== undefined || output.needsAudio;
    const tracks = hasSound ? asked.map((track) => ({ ...track, number: chooseTrack(track.output, source) })) : [];
    const films = planFilms(output, tracks, source, image);
    const [film] = films;
    const parts = [
      ...films.map((plan): Omit<PackagePart, 'path' | 'name'> => ({ kind: 'video', plan })),
      ...tracks.map((track) => soundPart(track, film?.video, source)),
    ];
    if (parts.length === 0)
      throw new UnsupportedOutput(output, 'the source has no sound, and it was to have no pictures');
    const named = nameParts(parts).map((part) => ({ ...part, path: `${path}-${part.name}` }));
    const lengths = segmentLengths(output.package, film?.video);
    checkFileCount(output, film?.video, source, { segmentSeconds: lengths.segmentSeconds, parts: parts.length });
    return { ...{ kinds, layout }, parts: named, ...lengths };
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
  image: WatermarkImage | undefined,
): (OutputPlan & { video: VideoPlan })[] {
  const { pictures } = source;
  if (output.video === undefined || pictures === undefined) return [];
  const startOf = ({ number: { track } }: ChosenTrack): number => pictures.soundStarts[track] ?? Infinity;
  const earliest = tracks.toSorted((one, other) => startOf(one) - startOf(other))[0];
  const sound = { audio: earliest?.output.audio, track: earliest?.output.track, needsAudio: earliest !== undefined };
  const planFilm = (video: VideoSettings): (OutputPlan & { video: VideoPlan })[] => {
    const { audio: _, video: planned, ...plan } = planOutput({ ...output, ...sound, video }, source, image);
    return planned === undefined ? [] : [{ ...plan, video: planned }];
  };
  const asked = output.package.renditions?.flatMap(({ video = [] }) => video);
  return (asked ?? suitableSizes(output.video, pictures, planFilm(output.video)[0]?.video)).flatMap(planFilm);
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

/** In step with the pictures to the sample. */
function soundPart(
  { output, language, name, number: track }: ChosenTrack,
  film: VideoPlan | undefined,
  source: Source,
): Omit<PackagePart, 'path' | 'name'> {
  const soundStart = source.pictures?.soundStarts[track.track];
  const shown = language ?? knownLanguage(track.language);
  const part = { kind: 'audio', language: shown, title: name ?? languageName(shown) ?? 'Sound' } as const;
  if (film === undefined || soundStart === undefined) return { ...part, plan: planOutput(output, source, undefined) };
  const beside = soundBeside(track, soundStart, film.cut);
  const tracks = source.tracks.map((one) => (one.track === track.track ? beside.track : one));
  return { ...part, plan: planOutput({ ...output, trim: beside.trim }, { ...source, tracks }, undefined) };
}

/** In one spelling; what files say where they know none is left out. */
function knownLanguage(language: string | undefined): string | undefined {
  if (language === undefined || !/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(language)) return undefined;
  const [canonical = language] = Intl.getCanonicalLocales(language);
  return /^(?:und|mis|mul|zxx)$/.test(canonical) ? undefined : canonical;
}

function languageName(language: string | undefined): string | undefined {
  if (language === undefined) return undefined;
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  // It goes into playlists between quotes.
  return name.replaceAll(/[^\p{L}\p{N} ()._-]/gu, '');
}

/** `v720`, `a`; of several alike each with a number. Players tell tracks apart by their titles. */
function nameParts(parts: readonly Omit<PackagePart, 'path' | 'name'>[]): Omit<PackagePart, 'path'>[] {
  const names = numberAlike(
    parts.map(({ plan }) => (plan.video === undefined ? 'a' : `v${plan.video.shape.size.height}`)),
    '-',
  );
  const titles = numberAlike(
    parts.map(({ title = '' }) => title),
    ' ',
  );
  return parts.map((part, index) => ({
    ...part,
    name: names[index] ?? '',
    ...(part.title !== undefined && { title: titles[index] ?? part.title }),
  }));
}

function numberAlike(texts: readonly string[], joint: string): string[] {
  return texts.map((text, index) => {
    const before = texts.slice(0, index).filter((other) => other === text).length;
    return before === 0 ? text : `${text}${joint}${before + 1}`;
  });
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
