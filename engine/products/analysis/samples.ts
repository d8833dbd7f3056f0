import type { MediaFacts } from '../../../contract/http/media.ts';
import { open, stat } from 'node:fs/promises';
import { MediaError } from '../../media-error.ts';
import { findWavData } from '../../formats/wav/find-data.ts';

/** Shape of an output's samples, known before they are read. */
export interface SamplesShape {
  channels: number;
  /** Hz */
  sampleRate: number;
  /** Samples per channel. */
  samples: number;
}

/** Properties of the samples' source. */
export interface SamplesOrigin {
  /** ffprobe's names of container and codec */
  format: string;
  codec: string;
  /** The codec of the source loses data. */
  isLossy: boolean;
  /** 8-bit samples, linear or not, as in telephony. */
  isEightBit: boolean;
  file: MediaFacts;
}

/** Samples of an output in the job's folder: consecutive floating-point WAV files. */
export interface DecodedSamples extends SamplesShape {
  paths: readonly string[];
}

export const bytesOfSample = 4;

/** Bytes per read: larger blocks are no faster, and one of this size is analysed within milliseconds. */
const blockBytes = 1024 * 1024;

/**
 * Passes all samples to `add` in order, in blocks of whole interleaved samples. A block is valid until `add` returns,
 * so analyses of any length need the memory of one block.
 */
export async function readSamples(
  { paths, channels, samples }: DecodedSamples,
  add: (block: Float32Array) => void,
  { signal, onRead }: { signal: AbortSignal; onRead(fraction: number): void },
): Promise<void> {
  const frameBytes = channels * bytesOfSample;
  const buffer = Buffer.from(new ArrayBuffer(Math.max(1, Math.floor(blockBytes / frameBytes)) * frameBytes));
  let frames = 0;
  for (const path of paths) {
    const data = await findWavData(path);
    if (data?.frameBytes !== frameBytes) break;
    const { size } = await stat(path);
    const handle = await open(path);
    try {
      for (let { start: at } = data; at < size;) {
        signal.throwIfAborted();
        const filled = await fill(handle, buffer, at, Math.min(buffer.length, size - at));
        const whole = Math.floor(filled / frameBytes);
        if (whole === 0) break;
        add(new Float32Array(buffer.buffer, 0, whole * channels));
        at += whole * frameBytes;
        frames += whole;
        onRead(samples === 0 ? 1 : frames / samples);
      }
    } finally {
      await handle.close();
    }
  }
  if (frames === samples) return;
  throw new MediaError('output_invalid', `Only ${frames} of ${samples} decoded samples could be read again.`);
}

async function fill(handle: Awaited<ReturnType<typeof open>>, buffer: Buffer, at: number, length: number) {
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
