import { type AudioCodec, audioCodecFacts } from '../../../contract/audio-codecs.ts';
import { containers } from '../../../contract/formats.ts';
import type { AudioSettings, OutputSettings, VideoSettings } from '../../../contract/output-settings.ts';
import { type VideoCodec, videoCodecFacts } from '../../../contract/video-codecs.ts';
import type { AudioPlan, OutputPlan } from '../output-plan.ts';
import type { AudioSource, Source } from '../source.ts';
import type { PictureSource } from '../video/picture-source.ts';
import { isMeasured } from '../video/quality/measurable.ts';
import { rationalOfFps, valueOf } from '../video/rational.ts';
import type { VideoPlan } from '../video/video-plan.ts';
import { timingStart } from '../video/video-timing.ts';

/** Whether the packets of a stream are copied; and why not, where that was asked for. */
export interface CopyDecision {
  isCopied?: true;
  notCopied?: string;
}

/** Sound that begins less than this before the pictures is hidden by an edit list: encoders' delays look the same. */
const hiddenSoundSeconds = 0.05;

/** Codecs whose files can say that the sound begins later, or before what is heard. */
const placedCodecs: ReadonlySet<AudioCodec> = new Set(['aac', 'alac', 'ac3']);

const samePlaceSeconds = 0.001;

/** Why the pictures of a source are not what is asked for, as a sentence without its end; undefined where they are (pure). */
function findPictureObstacle(settings: VideoSettings, plan: VideoPlan, source: PictureSource): string | undefined {
  const { fps, pixelFormat } = settings;
  const { coded, pixelAspect, constantRate } = source;
  const { size, scaled } = plan.shape;
  const codec = copiedPictureCodec(settings, source);
  if (codec === undefined) return `the source's pictures are of ${source.codec}`;
  if (!source.isUpright || plan.view.turn !== 0) return "the source's pictures are turned";
  if (pixelAspect.num !== pixelAspect.den) return "the source's pixels are not square";
  if (size.width !== coded.width || size.height !== coded.height) {
    return `the source's pictures have ${coded.width}x${coded.height} pixels`;
  }
  if (plan.view.window !== undefined || scaled.width !== size.width || scaled.height !== size.height) {
    return 'its pictures are cropped or padded';
  }
  if (plan.toneMap !== undefined) return 'its colours become those of ordinary screens';
  if (plan.watermark !== undefined) return 'there is a watermark over its pictures';
  if (plan.deinterlace !== 'none') return "the source's pictures are interlaced";
  if (source.isFullRange || plan.isFromRgb) return "the source's pictures are not in the range of television";
  const formats: readonly string[] = videoCodecFacts(codec).pixelFormats;
  if (!formats.includes(source.pixelFormat) || (pixelFormat ?? source.pixelFormat) !== source.pixelFormat) {
    return `the source's pictures are of ${source.pixelFormat}`;
  }
  if (fps !== undefined && (constantRate === undefined || valueOf(rationalOfFps(fps)) !== valueOf(constantRate))) {
    return 'the source has another frame rate';
  }
  if (plan.keyframeSeconds !== undefined && constantRate === undefined) return 'the frame rate of the source varies';
  if (source.stamps === undefined) return 'the source does not say of each picture when it is shown';
  if (source.startsLate) return 'the source begins with pictures that nobody can decode';
  if (source.hasHidden) return 'the source hides pictures by an edit list';
  return undefined;
}

const copiedPictureCodec = ({ copiedCodecs }: VideoSettings, { codec }: PictureSource): VideoCodec | undefined =>
  copiedCodecs?.find((name) => videoCodecFacts(name).probedName === codec);

const copiedSoundCodec = ({ copied }: AudioSettings, { codec }: AudioSource): AudioCodec | undefined =>
  copied?.codecs.find((name) => probedNames(name).includes(codec));

function findSoundObstacle(settings: AudioSettings, plan: AudioPlan, track: AudioSource): string | undefined {
  const { channels, sampleRate, samples } = settings;
  if (copiedSoundCodec(settings, track) === undefined) return `the source's sound is ${track.codec}`;
  if (plan.loudness !== undefined || plan.evensSpeech) return 'its loudness changes';
  if (plan.cut !== undefined) return 'it is cut';
  if ((channels ?? track.channels) !== track.channels) return `the source's sound has ${track.channels} channels`;
  if ((sampleRate ?? track.sampleRate) !== track.sampleRate) return `the source's sound is at ${track.sampleRate} Hz`;
  const kind = track.codec.startsWith('pcm_f') ? 'float' : track.losslessBits;
  return samples !== undefined && samples !== kind ? "the source's samples are of another kind" : undefined;
}

function probedNames(codec: AudioCodec): string[] {
  const { encoding } = audioCodecFacts(codec);
  return 'encoder' in encoding ? [encoding.probedName] : Object.values(encoding).map(({ probedName }) => probedName);
}

/** Why sound that begins so many seconds after the output, or before it, cannot be placed there as it is (pure). */
function findPlaceObstacle(codec: AudioCodec, seconds: number, plan: OutputPlan): string | undefined {
  const hasEditList = containers[plan.container].demuxer === 'mov' && placedCodecs.has(codec);
  if (seconds < -(hasEditList ? hiddenSoundSeconds : samePlaceSeconds)) return soundIsEarly;
  return seconds > samePlaceSeconds && !hasEditList ? "the source's sound begins later than its pictures" : undefined;
}

const soundIsEarly = "the source's sound begins before its pictures";

function asCopiedPictures(settings: VideoSettings, plan: VideoPlan, source: PictureSource): VideoPlan {
  const { timeBase, stamps = [], startTicks, endTicks, colour } = source;
  return {
    ...plan,
    codec: copiedPictureCodec(settings, source) ?? plan.codec,
    pixelFormat: source.pixelFormat,
    colour,
    timing: { kind: 'variable', timeBase, stamps, startTicks, endTicks },
    isCopied: true,
  };
}

function asCopiedSound(settings: AudioSettings, plan: AudioPlan, track: AudioSource): AudioPlan {
  const { channels, sampleRate } = track;
  const bitrate = settings.copied?.mostBitrate;
  const codec = copiedSoundCodec(settings, track) ?? plan.codec;
  return { ...plan, codec, channels, sampleRate, bitrate, isCopied: true };
}

/** Decides which streams of an output are copied, where it asks for that (pure). `plan` is the one by which all are encoded. */
export function planCopies(
  { video: pictureSettings, audio: soundSettings, trim, fade, silence }: OutputSettings,
  plan: OutputPlan,
  { pictures, tracks }: Pick<Source, 'pictures' | 'tracks'>,
): OutputPlan {
  const { video, audio } = plan;
  if (video === undefined || pictures === undefined || pictureSettings === undefined) return plan;
  const asksPictures = pictureSettings.copiedCodecs !== undefined;
  const track = audio && tracks[audio.track];
  const asksSound = soundSettings?.copied !== undefined && track !== undefined;
  if (!asksPictures && !asksSound) return plan;

  const soundStart = track && pictures.soundStarts[track.track];
  const pictureStart = pictures.startTicks * valueOf(pictures.timeBase);
  const ofCut = (trim ?? fade ?? silence) === undefined ? undefined : 'it is cut or fades';
  const ofSound = ofCut ?? (asksSound && audio ? findSoundObstacle(soundSettings, audio, track) : undefined);
  const sound = asksSound && audio && ofSound === undefined ? asCopiedSound(soundSettings, audio, track) : undefined;
  const ofPlaceAt = (start: number): string | undefined =>
    sound && soundStart !== undefined ? findPlaceObstacle(sound.codec, soundStart - start, plan) : undefined;
  // Sound that is encoded has no edit list to hide what comes before the pictures.
  const isEarly = soundStart !== undefined && soundStart < pictureStart - 1e-6;
  const ofPictures =
    ofCut ??
    (isMeasured(plan.checks) ? 'it is to be measured how good its pictures are' : undefined) ??
    findPictureObstacle(pictureSettings, video, pictures) ??
    (isEarly && sound === undefined
      ? soundIsEarly
      : ofPlaceAt(pictureStart) === soundIsEarly
        ? soundIsEarly
        : undefined);
  const copiesPictures = asksPictures && ofPictures === undefined;
  const ofPlace = ofPlaceAt(copiesPictures ? pictureStart : timingStart(video.timing));
  const decided = withReasons(
    plan,
    asksPictures ? ofPictures : undefined,
    asksSound ? (ofSound ?? ofPlace) : undefined,
  );
  const copiesSound = sound !== undefined && ofPlace === undefined;
  if (!copiesPictures && !copiesSound) return decided;
  return {
    ...decided,
    ...(copiesPictures && { video: asCopiedPictures(pictureSettings, video, pictures) }),
    ...(copiesSound && { audio: sound }),
    encodedInstead: plan,
  };
}

/** The same, with why its streams are not copied (pure). */
function withReasons(plan: OutputPlan, ofPictures: string | undefined, ofSound: string | undefined): OutputPlan {
  const { video, audio } = plan;
  return {
    ...plan,
    ...(video && ofPictures !== undefined && { video: { ...video, notCopied: ofPictures } }),
    ...(audio && ofSound !== undefined && { audio: { ...audio, notCopied: ofSound } }),
  };
}

/** The plan by which all streams are encoded, where a copy did not come out right (pure). */
export function withoutCopies(plan: OutputPlan, reason: string): OutputPlan {
  const { encodedInstead = plan, video, audio } = plan;
  return withReasons(
    encodedInstead,
    video?.isCopied === true ? reason : video?.notCopied,
    audio?.isCopied === true ? reason : audio?.notCopied,
  );
}
