import type { AnalysisSettings } from '../../contract/analysis-settings.ts';
import { audioCodecFacts, type AudioCodec, type BitDepth, type SampleKind } from '../../contract/audio-codecs.ts';
import type { FilmImageSettings } from '../../contract/film-image-settings.ts';
import type { ContainerName } from '../../contract/formats.ts';
import type { CheckOptions } from '../../contract/http/checks.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import type { LoudnessTarget } from '../../contract/loudness.ts';
import { chooseSampleRate } from '../../contract/output-rules.ts';
import {
  type Dither,
  type OutputNaming,
  type OutputSettings,
  type SoundSettings,
  UnsupportedOutput,
} from '../../contract/output-settings.ts';
import type { Presets } from '../../contract/presets.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';
import type { Level } from '../sound/loudness/level-filter.ts';
import type { SourceTime } from '../ffmpeg/gap-filter.ts';
import { type CutPlan, planOutputCut } from './cut-plan.ts';
import { audioOf, type AudioSource, type Source } from '../source/source.ts';
import { type CopyDecision, type FailedCopy, planCopies } from '../copy/copy-plan.ts';
import { drawnContent, planBurntSubtitles } from '../subtitles/burnt-subtitles.ts';
import { planSubtitles, type SubtitlePlan } from '../subtitles/subtitle-plan.ts';
import type { SubtitleOfLink } from '../subtitles/subtitle-source.ts';
import { chooseSound } from '../source/track.ts';
import { orUnsupported } from '../unsupported.ts';
import { type FilmCut, soundBeside } from '../pictures/film-cut.ts';
import { plannedSeconds, timingStart } from '../pictures/video-timing.ts';
import type { CueWindows } from '../subtitles/place-cues.ts';
import { checkComparable } from '../pictures/quality/measurable.ts';
import { checkEncodable, planVideo, type VideoPlan } from '../pictures/video-plan.ts';
import { planWatermark } from '../pictures/watermark.ts';
import type { WatermarkImage } from '../pictures/watermark-image.ts';

/** Every figure of one output. A stream that is not planned is not in the file. */
export interface OutputPlan extends OutputNaming {
  container: ContainerName;
  audio?: AudioPlan;
  video?: VideoPlan;
  /** Undefined: it is to have none. */
  subtitles?: SubtitlePlan;
  checks: CheckOptions;
  /** Written as an MP4 in fragments. */
  isFragmented?: true;
  /** What is made of its samples, in place of a file of them. */
  analysis?: AnalysisSettings;
  /** What is made of the source's pictures, in place of encoding them. */
  filmImage?: FilmImageSettings;
  /** What ffmpeg writes into the file; of other containers tags are written when the file is whole. */
  metadata?: WrittenMetadata | undefined;
  /** Where packets are copied: the plan without that, should it not come out right. */
  withoutCopy?: (failed: FailedCopy) => OutputPlan;
}

export interface WrittenMetadata {
  entries: ReadonlyMap<string, string>;
  /** of the sound (ISO 639-2) */
  language: string | undefined;
}

export interface AudioPlan extends CopyDecision {
  codec: AudioCodec;
  /** kbit/s; undefined for lossless codecs, and where there is a quality */
  bitrate: number | undefined;
  /** On the encoder's own scale, in place of a bitrate. */
  quality: number | undefined;
  channels: number;
  /** Hz */
  sampleRate: number;
  /** of a lossless output */
  samples: SampleKind;
  dither: Dither | undefined;
  /** the audio stream of the source, from 0 */
  track: number;
  sourceTime: SourceTime;
  /** what its file is to measure */
  loudness?: LoudnessTarget;
  /** what is done to its samples for that */
  level?: Level;
  /** Undefined: all of the source, as it is. */
  cut: CutPlan | undefined;
  /** Quiet speakers become as loud as others. */
  evensSpeech: boolean;
  /** Its speakers are not those of the source: channels are mixed. */
  isMixed: boolean;
}

/** What a request's output comes to. Throws `unsupported_format` where that is nothing, whatever the source is. */
export function settleOutput(request: DescribedOutput, presets: Presets): OutputSettings {
  return orUnsupported(() => resolveOutput(request, presets));
}

/** What a lossless output needs to lose nothing; of lossy sources the depth that ffmpeg chooses for the codec. */
function chooseBitDepth(codec: AudioCodec, { losslessBits, sampleFormat }: AudioSource): BitDepth {
  if (losslessBits !== undefined) return losslessBits > 16 ? 24 : 16;
  const decodesTo16Bits = /^(?:u8|s16)p?$/.test(sampleFormat ?? '');
  return decodesTo16Bits ? 16 : (audioCodecFacts(codec).lossySourceDepth ?? 16);
}

/** Whether an output of as many channels as the source keeps its speakers. */
function hasLayout(codec: AudioCodec, { channels, channelLayout }: AudioSource): boolean {
  if (channelLayout === undefined) return true;
  return audioCodecFacts(codec).channelLayouts[channels - 1]?.split('|').includes(channelLayout) ?? false;
}

/** Numbers of channels beyond eight that ffmpeg (5.1) takes for speakers where a source names none: 16, and 22.2. */
const guessedChannels: ReadonlySet<number> = new Set([16, 24]);

function checkSpeakers(output: OutputNaming, { channels, channelLayout }: AudioSource): void {
  if (channelLayout !== undefined || channels <= 8 || guessedChannels.has(channels)) return;
  throw new UnsupportedOutput(
    output,
    `the source has ${channels} channels and does not say of which speakers, so that they cannot be mixed to the eight at most of an output; send it with at most 8 channels, or with a channel layout`,
    { channels },
  );
}

function planAudio(output: SoundSettings, source: AudioSource): AudioPlan {
  const { audio, loudness } = output;
  const { codec, quality } = audio;
  const { maxChannels, defaultBitrate } = audioCodecFacts(codec);
  checkSpeakers(output, source);
  const channels = audio.channels ?? Math.min(source.channels, maxChannels);
  const openBitrate = source.channels === 1 ? defaultBitrate?.mono : defaultBitrate?.other;
  const bitrate = quality === undefined ? (audio.bitrate ?? openBitrate) : undefined;
  return {
    ...{ codec, bitrate, quality, channels },
    sampleRate: chooseSampleRate(output, channels, bitrate, source.sampleRate),
    samples: audio.samples ?? chooseBitDepth(codec, source),
    dither: audio.dither,
    track: source.track,
    cut: planOutputCut(output, source),
    evensSpeech: output.evensSpeech,
    isMixed: channels !== source.channels || !hasLayout(codec, source),
    sourceTime: { formatName: source.formatName, leadSeconds: source.leadSeconds, sampleRate: source.sampleRate },
    ...(loudness !== undefined && { loudness }),
  };
}

/**
 * Decides every figure of one output (pure). Throws `unsupported_format` with what would be possible, and `no_audio` where the
 * source lacks the stream that the output is made of.
 */
export function planOutput(
  output: OutputSettings,
  source: Pick<
    Source,
    'audio' | 'tracks' | 'pictures' | 'picturesProblem' | 'subtitles' | 'texts' | 'subtitlePictures'
  >,
  image?: WatermarkImage,
  subtitleOf: SubtitleOfLink = () => ({ cues: [] }),
): OutputPlan {
  const { label, named, container, checks, analysis, filmImage, watermark, isFragmented } = output;
  return orUnsupported(() => {
    const track = chooseSound(output, source);
    checkMaterial(output, track, source);
    const soundStart = track && source.pictures?.soundStarts[track.track];
    const planned =
      output.video && source.pictures && planVideo(output.video, output, source.pictures, soundStart, output);
    const audio = track && planSound(output, track, soundStart, planned?.cut);
    const plan: OutputPlan = {
      ...{ label, named, container, checks },
      ...(audio !== undefined && { audio }),
      ...(analysis !== undefined && { analysis }),
      ...(filmImage !== undefined && { filmImage }),
      ...(isFragmented === true && { isFragmented }),
    };
    if (planned === undefined) return plan;
    const mark = watermark && image && planWatermark(watermark, output, image, planned);
    const windowsOf = (film: VideoPlan) => cueWindows(film, audio && track, soundStart);
    const planTracks = (film: VideoPlan) => planSubtitles(output, source, subtitleOf, windowsOf(film).whole);
    const tracks = planTracks(planned);
    const burnt = planBurntSubtitles(output, source, subtitleOf, windowsOf(planned).pictures, planned);
    const subtitles = tracks && { ...tracks, ...(burnt !== undefined && { burnt }) };
    const drawnSubtitles = drawnContent(burnt);
    const video = {
      ...planned,
      ...(mark !== undefined && { watermark: mark }),
      ...(drawnSubtitles !== undefined && { drawnSubtitles }),
    };
    checkComparable(output, video);
    const decided = planCopies({
      ...{ settings: output, plan: { ...plan, video, ...(subtitles !== undefined && { subtitles }) }, source },
      planSound: (cut) => track && planSound(output, track, soundStart, cut),
      planSubtitles: planTracks,
    });
    checkEncodable(decided.video, output);
    return decided;
  });
}

/** Throws where there is nothing that an analysis or an image could be made of. */
function checkMaterial(
  { label, analysis, filmImage }: OutputSettings,
  track: AudioSource | undefined,
  source: Pick<Source, 'audio' | 'pictures' | 'picturesProblem'>,
): void {
  const isOfPictures = filmImage !== undefined || (analysis !== undefined && track === undefined);
  if (!isOfPictures || source.pictures !== undefined) return;
  if (source.picturesProblem !== undefined) throw source.picturesProblem;
  audioOf(source, `The output ${label}`);
}

/** What is shown in an output of texts, and what of that over pictures: sound may go on behind them (pure). */
export function cueWindows(
  { timing, cut }: VideoPlan,
  sound: AudioSource | undefined,
  soundStart = 0,
): { whole: CueWindows; pictures: CueWindows } {
  const [start, seconds] = [timingStart(timing), plannedSeconds(timing)];
  const soundEnd = soundStart + (sound?.declaredSeconds ?? 0) - (sound?.leadSeconds ?? 0);
  const longest = cut.to === undefined ? Math.max(seconds, soundEnd - start) : seconds;
  const windowsOf = (length: number): CueWindows => ({
    source: { start, seconds: length },
    file: { start: cut.from, seconds: length },
  });
  return { whole: windowsOf(longest), pictures: windowsOf(seconds) };
}

/** Of an output with pictures in step with them to the sample; undefined where it has no sound. */
function planSound(
  output: OutputSettings,
  track: AudioSource,
  soundStart: number | undefined,
  filmCut: FilmCut | undefined,
): AudioPlan | undefined {
  const { audio } = output;
  if (audio === undefined) return undefined;
  if (filmCut === undefined || soundStart === undefined) return planAudio({ ...output, audio }, track);
  const beside = soundBeside(track, soundStart, filmCut);
  if (beside.isOver && !output.needsAudio) return undefined;
  return planAudio({ ...output, audio, trim: beside.trim }, beside.track);
}
