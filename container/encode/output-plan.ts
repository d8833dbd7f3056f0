import { audioCodecFacts, type AudioCodec, type BitDepth, type SampleKind } from '../../contract/audio-codecs.ts';
import type { ContainerName } from '../../contract/formats.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import type { LoudnessTarget } from '../../contract/loudness.ts';
import { chooseSampleRate } from '../../contract/output-rules.ts';
import { type OutputNaming, type OutputSettings, UnsupportedOutput } from '../../contract/output-settings.ts';
import type { Presets } from '../../contract/presets.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';
import { ServiceError } from '../errors.ts';
import type { Level } from '../loudness/level-filter.ts';
import type { SourceTime } from '../ffmpeg/gap-filter.ts';
import { audioOf, type AudioSource, type Source } from './source.ts';

/** Every figure of one output. A stream that is not planned is not in the file. */
export interface OutputPlan extends OutputNaming {
  container: ContainerName;
  audio?: AudioPlan;
}

export interface AudioPlan {
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
  sourceTime: SourceTime;
  /** what its file is to measure */
  loudness?: LoudnessTarget;
  /** what is done to its samples for that */
  level?: Level;
}

type AudioShape = Pick<
  AudioSource,
  'formatName' | 'channels' | 'sampleRate' | 'losslessBits' | 'sampleFormat' | 'leadSeconds'
>;

/** Decides, and tells the caller where an output cannot be made. */
function orUnsupported<Decided>(decide: () => Decided): Decided {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof UnsupportedOutput)) throw error;
    throw new ServiceError('unsupported_format', error.message, { details: error.details });
  }
}

/** What a request's output comes to. Throws `unsupported_format` where that is nothing, whatever the source is. */
export function settleOutput(request: DescribedOutput, presets: Presets): OutputSettings {
  return orUnsupported(() => resolveOutput(request, presets));
}

/** What a lossless output needs to lose nothing; of lossy sources the depth that ffmpeg chooses for the codec. */
function chooseBitDepth(codec: AudioCodec, { losslessBits, sampleFormat }: AudioShape): BitDepth {
  if (losslessBits !== undefined) return losslessBits > 16 ? 24 : 16;
  const decodesTo16Bits = /^(?:u8|s16)p?$/.test(sampleFormat ?? '');
  return decodesTo16Bits ? 16 : (audioCodecFacts(codec).lossySourceDepth ?? 16);
}

function planAudio(output: OutputSettings, source: AudioShape): AudioPlan {
  const { audio, loudness } = output;
  const { codec, quality } = audio;
  const { maxChannels, defaultBitrate } = audioCodecFacts(codec);
  const channels = audio.channels ?? Math.min(source.channels, maxChannels);
  const openBitrate = source.channels === 1 ? defaultBitrate?.mono : defaultBitrate?.other;
  const bitrate = quality === undefined ? (audio.bitrate ?? openBitrate) : undefined;
  return {
    ...{ codec, bitrate, quality, channels },
    sampleRate: chooseSampleRate(output, channels, bitrate, source.sampleRate),
    samples: audio.samples ?? chooseBitDepth(codec, source),
    sourceTime: { formatName: source.formatName, leadSeconds: source.leadSeconds },
    ...(loudness !== undefined && { loudness }),
  };
}

/**
 * Decides every figure of one output (pure). Throws `unsupported_format` with what would be possible, and `no_audio` where the
 * source lacks the stream that the output is made of.
 */
export function planOutput(output: OutputSettings, source: Pick<Source, 'audio'>): OutputPlan {
  const { label, named, container } = output;
  const audio = audioOf(source, `The output ${label}`);
  return {
    ...{ label, named, container },
    audio: orUnsupported(() => planAudio(output, audio)),
  };
}
