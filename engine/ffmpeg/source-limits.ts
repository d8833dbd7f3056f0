import { MediaError } from '../media-error.ts';
import { undecodable } from './failure.ts';
import type { Probed, ProbedStream } from './probed.ts';

export interface SourceLimits {
  maxSourceStreams: number;
  maxSourceDurationSeconds: number;
}

/** Hz. ffmpeg decodes DSD512 of 48 kHz, the fastest sound on sale, to this rate: a sample for each 8 bits. */
const mostSampleRate = 3_072_000;
/** Hz. Telephones use far more. A megabyte at one sample per second would decode to days of audio. */
const leastSampleRate = 1000;
/** The largest named layout has 24 channels (22.2). Twice that or more is an attack on memory. */
const mostChannels = 64;

export function sourceTooLong(limits: Pick<SourceLimits, 'maxSourceDurationSeconds'>): MediaError {
  return new MediaError(
    'source_too_long',
    `The source is longer than the limit of ${limits.maxSourceDurationSeconds} seconds.`,
    { details: { maxSourceDurationSeconds: limits.maxSourceDurationSeconds } },
  );
}

/** Returns the first audio stream after checking its parameters. */
export function checkStreams(probed: Probed, limits: SourceLimits): ProbedStream | undefined {
  if (probed.streams.length > limits.maxSourceStreams) {
    throw new MediaError(
      'undecodable_source',
      `The source has ${probed.streams.length} streams, and the limit is ${limits.maxSourceStreams}.`,
      {
        details: { maxSourceStreams: limits.maxSourceStreams },
      },
    );
  }
  const stream = probed.streams.find(
    ({ codec_type, index }) => codec_type === 'audio' && probed.emptySounds?.has(index) !== true,
  );
  if (stream === undefined) return undefined;
  const { codec_name: codec, sample_rate: sampleRate = 0, channels = 0 } = stream;
  // ffmpeg takes the samples for floating point, and plays noise.
  if (codec === 'pcm_f24le') {
    throw new MediaError(
      'undecodable_source',
      'The source is a WAV file with 24-bit samples in 32-bit containers, which ffmpeg cannot read. Save it with 24-bit or 32-bit samples.',
    );
  }
  checkSound({ sampleRate, channels });
  return stream;
}

/** Throws if a stream's parameters cannot be those of audio. */
export function checkSound({ sampleRate, channels }: { sampleRate: number; channels: number }): void {
  if (sampleRate < 1) throw undecodable();
  if (sampleRate < leastSampleRate || sampleRate > mostSampleRate || channels < 1 || channels > mostChannels) {
    throw new MediaError(
      'undecodable_source',
      `The source claims ${channels} channels at ${sampleRate} Hz, which cannot be sound.`,
    );
  }
}
