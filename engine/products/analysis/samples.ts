import type { MediaFacts } from '../../../contract/http/media.ts';
import { open, stat } from 'node:fs/promises';
import { MediaError } from '../../media-error.ts';
import { findWavData } from '../../formats/wav/find-data.ts';

/** What there is of an output's samples, before anything of them is read. */
export interface SamplesShape {
  channels: number;
  /** Hz */
  sampleRate: number;
  /** Samples of each channel. */
  samples: number;
}

/** What they were in the source. */
export interface SamplesOrigin {
  /** ffprobe's names of its container and its codec */
  format: string;
  codec: string;
  /** The codec of the source loses data. */
  isLossy: boolean;
  /** Samples of 8 bits, linear or not, as in telephony. */
  isEightBit: boolean;
  file: MediaFacts;
}

/** The samples of an output in the job's folder: WAV files of floating point, each a part, in their order. */
export interface DecodedSamples extends SamplesShape {
  paths: readonly string[];
}

export const bytesOfSample = 4;

/** Read at a time: larger blocks are read no faster, and one of this size is analysed within milliseconds. */
const blockBytes = 1024 * 1024;

/**
 * Gives `add` all samples in their order, in blocks: those of all channels interleaved, no sample divided. A block is valid until
 * `add` returns. So analyses of any length take the memory of one block.
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
  throw new MediaError('output_invalid', `Of ${samples} samples that were decoded ${frames} could be read again.`);
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
