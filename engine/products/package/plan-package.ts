import type { FileSettings, VideoSettings } from '../../../contract/file-settings.ts';
import { UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import type { PackageSettings, PackageTrackSettings } from '../../../contract/package-settings.ts';
import type { SubtitleSettings } from '../../../contract/subtitle-settings.ts';
import { cueWindows, planOutput } from '../file/plan-output.ts';
import type { Source } from '../../source/source.ts';
import type { SubtitleOfLink } from '../../subtitles/subtitle-source.ts';
import { chooseTrack } from '../../source/track.ts';
import { orUnsupported } from '../../unsupported.ts';
import { soundBeside } from '../../pictures/film-cut.ts';
import { planVideo } from '../../pictures/plan-video.ts';
import { checkComparable } from '../../pictures/quality/measurable.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import type { PictureShape, VideoPlan, WatermarkImage } from '../../plan/video-plan.ts';
import { chooseRenditions } from './choose-renditions.ts';
import { checkFiles, plannedLengths } from './count-files.ts';
import type { PackagePart, PackagePlan } from './package-plan.ts';
import { planPackageSubtitles } from './plan-subtitles.ts';
import { knownLanguage, languageName, numberAlike } from './track-names.ts';
import type { OutputPlan } from '../../plan/planned-output.ts';

/** Decides every figure of a package (pure). Paths of parts begin with `path`. */
export function planPackage(
  output: PackageSettings,
  source: Source,
  { image, subtitleOf }: { image: WatermarkImage | undefined; subtitleOf: SubtitleOfLink },
  path: string,
): PackagePlan {
  const { kinds, layout, tracks: asked, common } = output;
  return orUnsupported(() => {
    const hasSound = source.audio !== undefined || common.needsAudio;
    const tracks = hasSound ? asked.map((track) => ({ ...track, number: chooseTrack(track.output, source) })) : [];
    // Captions are of the first track, and have its clock.
    const captioned = { ...source, ...(tracks[0] && { audio: tracks[0].number }) };
    const films = planFilms(output, captioned, { image, subtitleOf });
    const [film] = films;
    const parts = [
      ...films.map((plan): Omit<PackagePart, 'path' | 'name'> => ({ kind: 'video', plan })),
      ...tracks.flatMap((track) => soundPart(track, film?.video, source, common.needsAudio) ?? []),
    ];
    if (parts.length === 0)
      throw new UnsupportedOutput(output, 'the source has no sound, and it would have no pictures');
    const named = nameParts(parts, path);
    const lengths = segmentLengths(output, film?.video);
    const plan = { kinds, layout, parts: named, ...lengths, trim: common.trim };
    checkFiles(output, plan, plannedLengths(plan, source.tracks));
    return { ...plan, ...textsOf(common, { film, tracks }, captioned, subtitleOf) };
  });
}

interface ChosenTrack extends PackageTrackSettings {
  number: Source['tracks'][number];
}

/** Plans the pictures of each size. */
function planFilms(
  { common, renditions, isPerTitle }: PackageSettings,
  source: Source,
  { image, subtitleOf }: { image: WatermarkImage | undefined; subtitleOf: SubtitleOfLink },
): (OutputPlan & { video: VideoPlan })[] {
  const { pictures } = source;
  if (common.video === undefined || pictures === undefined) return [];
  const planFilm = (video: VideoSettings): (OutputPlan & { video: VideoPlan })[] => {
    const own = { ...common, audio: undefined, video, subtitles: burntAlone(common.subtitles) };
    const { video: planned, ...plan } = planOutput(own, source, image, subtitleOf);
    if (planned === undefined) return [];
    if (isPerTitle) checkComparable(common, planned);
    return [{ ...plan, video: planned }];
  };
  const asked = renditions?.flatMap(({ video = [] }) => video);
  // The whole film may be too large for the encoder; its sizes are smaller.
  const request = { settings: common.video, output: common, source: pictures, watermarkImage: image };
  return (asked ?? suitableSizes(common.video, pictures, planVideo(request).shape)).flatMap(planFilm);
}

/** Kept and added subtitles become files of the package; only burnt ones are drawn over the pictures. */
function burntAlone(subtitles: SubtitleSettings | undefined): SubtitleSettings | undefined {
  return subtitles?.burn && { keep: [], add: [], burn: subtitles.burn };
}

/** Subtitles on the clock of the pictures, which begin at 0, to the end of the longest part. */
function textsOf(
  output: FileSettings,
  { film, tracks: chosen }: { film: (OutputPlan & { video: VideoPlan }) | undefined; tracks: readonly ChosenTrack[] },
  source: Source,
  subtitleOf: SubtitleOfLink,
): Pick<PackagePlan, 'subtitles' | 'subtitlePlan'> {
  if (film === undefined) return {};
  const sounds = chosen.map(({ number }) => number);
  const { whole } = cueWindows(film.video, sounds, source.pictures?.soundStarts, source.audio);
  const { plan, tracks } = planPackageSubtitles(output, source, subtitleOf, whole);
  const burnt = film.subtitles?.burnt;
  return { subtitles: tracks, subtitlePlan: plan && { ...plan, ...(burnt !== undefined && { burnt }) } };
}

/** Sizes that suit the source. The largest is that of the output as one film, or that of the encoder's limit. */
function suitableSizes(video: VideoSettings, { bitrate }: PictureSource, { size }: PictureShape): VideoSettings[] {
  const most = Math.min(bitrate > 0 ? bitrate : Infinity, video.maxBitrate ?? Infinity);
  const rungs = chooseRenditions(video.codec, { ...size, bitrate: Number.isFinite(most) ? most : 0 });
  return rungs.map(({ width, height, maxBitrate }) => {
    const factor = (width ?? height ?? 0) / Math.min(size.width, size.height);
    const whole = { width: Math.round(size.width * factor), height: Math.round(size.height * factor) };
    // The other modes, and bars, need both sides.
    const isOpen = video.fit === 'contain' && video.pad === undefined;
    return { ...video, ...(isOpen ? { width, height } : whole), maxBitrate };
  });
}

/** Keeps sound in sync with the pictures to the sample. Undefined: the sound ends before the pictures start. */
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
  const { audio, ...plan } = planOutput({ ...output, trim: beside.trim }, { ...source, tracks }, undefined);
  return { ...part, plan: { ...plan, ...(audio !== undefined && { audio: { ...audio, film: beside.film } }) } };
}

/** Names such as `v720` and `a`, numbered where they repeat. Players tell tracks apart by their titles. */
export function nameParts(parts: readonly Omit<PackagePart, 'path' | 'name'>[], path: string): PackagePart[] {
  const names = numberAlike(
    parts.map(({ plan }) => (plan.video === undefined ? 'a' : `v${plan.video.shape.size.height}`)),
    '-',
  );
  const titles = numberAlike(
    parts.map(({ title = '' }) => title),
    ' ',
    // Players show one title for the same sound in several codecs.
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
  { segmentSeconds }: Pick<PackageSettings, 'segmentSeconds'>,
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
