import { type ContainerName, containers } from '../../contract/formats.ts';
import type { AudioSettings, FileSettings, VideoSettings } from '../../contract/file-settings.ts';
import { type VideoCodec, videoCodecFacts } from '../../contract/video-codecs.ts';
import type { OutputPlan } from '../plan/planned-output.ts';
import type { AudioSource, Source } from '../source/source.ts';
import { isWithinLevel } from '../ffmpeg/stream-level.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { pictureEdits } from '../pictures/edits/table.ts';
import { isMeasured } from '../pictures/quality/measurable.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import type { SubtitlePlan } from '../plan/subtitle-plan.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import type { FilmCut } from '../plan/video-plan.ts';
import { copiedSoundCodec, cutsEarlySound, earlySeconds, earlySoundSeconds } from '../source/early-sound.ts';
import type { AudioPlan } from '../plan/audio-plan.ts';

/** True if the container can hide sound that precedes the pictures. Matroska cannot. */
export const hidesSound = (container: ContainerName): boolean => containers[container].demuxer !== 'matroska';

/**
 * Returns, as a sentence without its full stop, why a source's pictures differ from the request; undefined if they do
 * not.
 */
function findPictureObstacle(settings: VideoSettings, plan: VideoPlan, source: PictureSource): string | undefined {
  const { pixelFormat, level } = settings;
  const codec = copiedPictureCodec(settings, source);
  if (codec === undefined) return `the source's pictures are of ${source.codec}`;
  if (level !== undefined && (codec !== settings.codec || !isWithinLevel(source.level, level))) {
    return `the source's pictures are of level ${source.level ?? 'unknown'} of ${codec}`;
  }
  for (const edit of pictureEdits) {
    const obstacle = edit.obstacleToCopy(plan, { settings, source });
    if (obstacle !== undefined) return obstacle;
  }
  const formats: readonly string[] = videoCodecFacts(codec).pixelFormats;
  if (!formats.includes(source.pixelFormat) || (pixelFormat ?? source.pixelFormat) !== source.pixelFormat) {
    return `the source's pictures are of ${source.pixelFormat}`;
  }
  if (plan.keyframeSeconds !== undefined && source.constantRate === undefined)
    return 'the frame rate of the source varies';
  if (source.stamps === undefined || !source.isStamped) return 'not every picture of the source has a time stamp';
  if (source.startsLate) return 'the source begins with pictures that cannot be decoded';
  if (source.hasHidden) return 'the source hides pictures by an edit list';
  return undefined;
}

const copiedPictureCodec = ({ copiedCodecs }: VideoSettings, { codec }: PictureSource): VideoCodec | undefined =>
  copiedCodecs?.find((name) => videoCodecFacts(name).probedName === codec);

function findSoundObstacle(settings: AudioSettings, plan: AudioPlan, track: AudioSource): string | undefined {
  const { channels, sampleRate, samples } = settings;
  if (copiedSoundCodec(settings, track) === undefined) return `the source's sound is ${track.codec}`;
  if (plan.loudness !== undefined || plan.evensSpeech) return 'its loudness changes';
  if (plan.cut !== undefined) return 'it is cut';
  if (plan.takenChannel !== undefined) return 'one of its channels is used alone';
  if ((channels ?? track.channels) !== track.channels) return `the source's sound has ${track.channels} channels`;
  if ((sampleRate ?? track.sampleRate) !== track.sampleRate) return `the source's sound is at ${track.sampleRate} Hz`;
  const kind = track.codec.startsWith('pcm_f') ? 'float' : track.losslessBits;
  return samples !== undefined && samples !== kind ? "the source's samples are of another kind" : undefined;
}

const soundIsEarly = "the source's sound begins before its pictures";

function asCopiedPictures(
  settings: VideoSettings,
  plan: VideoPlan,
  source: PictureSource,
  startTicks: number,
): VideoPlan {
  const { timeBase, stamps = [], endTicks, colour } = source;
  return {
    ...plan,
    codec: copiedPictureCodec(settings, source) ?? plan.codec,
    pixelFormat: source.pixelFormat,
    // The header of a broadcast in HLG may state another transfer, and so does that of a copy.
    colour: colour.transfer === 'arib-std-b67' ? { ...colour, transfer: undefined } : colour,
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

/** Inputs for deciding about copies. */
export interface CopyRequest {
  settings: FileSettings;
  /** Plan that encodes all streams. */
  plan: OutputPlan;
  source: Pick<Source, 'pictures' | 'tracks'>;
  /** Plans encoded sound for pictures that start at another time when copied. */
  planSound(cut: FilmCut): AudioPlan | undefined;
  /** Plans the tracks for pictures that start at another time when copied. */
  planSubtitles(video: VideoPlan): SubtitlePlan | undefined;
}

/** Reasons for encoding streams that could be copied. */
interface Refusals {
  pictures?: string;
  sound?: string;
}

/** Decides which streams of an output are copied, if it requests copies. */
export function planCopies(request: CopyRequest, refused: Refusals = {}): OutputPlan {
  const { settings, plan, source } = request;
  const { video: pictureSettings, audio: soundSettings, trim, fade, silence } = settings;
  const { video, audio } = plan;
  const { pictures } = source;
  if (video === undefined || pictures === undefined || pictureSettings === undefined) return plan;
  const asksPictures = pictureSettings.copiedCodecs !== undefined;
  const track = audio && source.tracks[audio.track];
  const asksSound = soundSettings?.copied !== undefined && track !== undefined;
  if (!asksPictures && !asksSound) return plan;

  const tick = valueOf(pictures.timeBase);
  const early = track === undefined ? 0 : earlySeconds(pictures, track);
  // Other outputs start with the earliest track.
  const earliest = Math.max(0, ...source.tracks.map((one) => earlySeconds(pictures, one)));
  const ofCut = (trim ?? fade ?? silence) === undefined ? undefined : 'it is cut or fades';
  const ofSound =
    refused.sound ?? ofCut ?? (asksSound && audio ? findSoundObstacle(soundSettings, audio, track) : undefined);
  const copiesSound = asksSound && audio !== undefined && ofSound === undefined;
  const isUncut = !copiesSound && early > 0 && track?.countedSamples === undefined;
  const ofAllButCount =
    refused.pictures ??
    ofCut ??
    (isMeasured(plan.checks) ? 'the quality of its pictures is measured' : undefined) ??
    findPictureObstacle(pictureSettings, video, pictures) ??
    (earliest > earlySoundSeconds ? soundIsEarly : undefined);
  const ofPictures = ofAllButCount ?? (isUncut ? soundIsEarly : undefined);
  const isCountable = track !== undefined && cutsEarlySound(settings, pictures, track);
  const awaitsCount = ofAllButCount === undefined && isUncut && isCountable;
  const copiesPictures = asksPictures && ofPictures === undefined;
  const decided: OutputPlan = {
    ...plan,
    ...(asksPictures &&
      ofPictures !== undefined && {
        video: { ...video, notCopied: ofPictures, ...(awaitsCount && { awaitsCount }) },
      }),
    ...(asksSound && audio && ofSound !== undefined && { audio: { ...audio, notCopied: ofSound } }),
  };
  if (copiesSound) decided.audio = asCopiedSound(soundSettings, audio, track);
  if (copiesPictures) {
    // Otherwise the pictures start after the sound, as in the source.
    const isHidden = hidesSound(plan.container) || !copiesSound;
    const startTicks = pictures.startTicks - (isHidden ? 0 : Math.round(early / tick));
    decided.video = asCopiedPictures(pictureSettings, video, pictures, startTicks);
    if (!copiesSound && decided.audio !== undefined && early > 0) {
      const cut = { filmStart: pictures.startTicks * tick - early, from: early, to: undefined };
      const { notCopied } = decided.audio;
      const beside = request.planSound(cut);
      decided.video = { ...decided.video, cut };
      if (beside !== undefined) decided.audio = { ...beside, ...(notCopied !== undefined && { notCopied }) };
    }
    const subtitles = request.planSubtitles(decided.video);
    if (subtitles !== undefined) decided.subtitles = subtitles;
  }
  if (!copiesPictures && !copiesSound) return decided;
  return {
    ...decided,
    withoutCopy: ({ kind, reason }) => planCopies(request, { ...refused, [kind]: reason }),
  };
}
