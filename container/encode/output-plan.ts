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
import type { Level } from '../loudness/level-filter.ts';
import type { SourceTime } from '../ffmpeg/gap-filter.ts';
import { type CutPlan, planOutputCut } from './cut-plan.ts';
import type { AudioSource, Source } from './source.ts';
import { type CopyDecision, planCopies } from './copy/copy-plan.ts';
import { chooseSound } from './track.ts';
import { orUnsupported } from './unsupported.ts';
import { type FilmCut, soundBeside } from './video/film-cut.ts';
import { checkPixelFormat } from './video/quality/measurable.ts';
import { planVideo, type VideoPlan } from './video/video-plan.ts';
import { planWatermark } from './video/watermark.ts';
import type { WatermarkImage } from './video/watermark-image.ts';

/** Every figure of one output. A stream that is not planned is not in the file. */
export interface OutputPlan extends OutputNaming {
  container: ContainerName;
  audio?: AudioPlan;
  video?: VideoPlan;
  checks: CheckOptions;
  /** What is made of its samples, in place of a file of them. */
  analysis?: AnalysisSettings;
  /** What is made of the source's pictures, in place of encoding them. */
  filmImage?: FilmImageSettings;
  /** What ffmpeg writes into the file; of other containers tags are written when the file is whole. */
  metadata?: WrittenMetadata | undefined;
  /** Where packets are copied: the plan by which they are encoded, should that not come out right. */
  encodedInstead?: OutputPlan;
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
  source: Pick<Source, 'audio' | 'tracks' | 'pictures'>,
  image?: WatermarkImage,
): OutputPlan {
  const { label, named, container, checks, analysis, filmImage, watermark } = output;
  return orUnsupported(() => {
    const track = chooseSound(output, source);
    const soundStart = track && source.pictures?.soundStarts[track.track];
    const planned =
      output.video && source.pictures && planVideo(output.video, output, source.pictures, soundStart, output);
    const audio = track && planSound(output, track, soundStart, planned?.cut);
    const plan: OutputPlan = {
      ...{ label, named, container, checks },
      ...(audio !== undefined && { audio }),
      ...(analysis !== undefined && { analysis }),
      ...(filmImage !== undefined && { filmImage }),
    };
    if (planned === undefined) return plan;
    const mark = watermark && image && planWatermark(watermark, output, image, planned);
    const video = { ...planned, ...(mark !== undefined && { watermark: mark }) };
    checkPixelFormat(output, checks, video);
    return planCopies(output, { ...plan, video }, source);
  });
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
