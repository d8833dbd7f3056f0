import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { decodeGuards, pictureDecodeGuards } from '../../ffmpeg/guards.ts';
import type { FfmpegRun } from '../../ffmpeg/run.ts';
import type { RunLimits } from '../limits.ts';
import { entryOptions, type PictureEntry } from './entry.ts';
import { pictureGraph } from './picture-filters.ts';
import type { PictureSource } from './picture-source.ts';
import type { VideoPlan } from './video-plan.ts';
import { drawnGuards, drawWatermarks } from './watermark-image.ts';

/** A file of sound that is read beside the source. */
export interface SoundInput {
  path: string;
  options: readonly string[];
}

interface PictureInputs {
  targets: readonly { plan: { video: VideoPlan }; path: string }[];
  sounds: readonly SoundInput[];
  entry: PictureEntry;
}

type Inputs = Pick<FfmpegRun, 'input' | 'inputOptions' | 'furtherInputs' | 'furtherInputOptions'>;

/** Threads of the decoder: each holds pictures of its own, and the encoders take what is left of the cores. */
export const decoderThreads = Math.min(4, availableParallelism());

/**
 * Has `use` run ffmpeg on what it reads to make the pictures of these outputs: the source, then the sounds, then what lies over the
 * pictures. The graph's results are `[v0]`, `[v1]` and so on. Whoever measures an output sees by it the pictures that were encoded.
 */
export async function withPictureInputs<Result>(
  source: PictureSource,
  { targets, sounds, entry }: PictureInputs,
  { limits, signal }: { limits: RunLimits; signal: AbortSignal },
  use: (inputs: Inputs) => Promise<Result>,
): Promise<Result> {
  const watermarks = await drawWatermarks(targets, { limits, signal });
  const graph = pictureGraph(
    targets.map(({ plan }) => plan.video),
    source,
    targets.map(({ plan }) => {
      const place = watermarks.findIndex(({ watermark }) => watermark === plan.video.watermark);
      return place === -1 ? undefined : 1 + sounds.length + place;
    }),
  );
  const inputs: Inputs = {
    input: source.path,
    inputOptions: [...pictureDecodeGuards(decoderThreads), ...entryOptions(entry), '-filter_complex', graph],
    furtherInputs: [...sounds.map(({ path }) => path), ...watermarks.map(({ path }) => path)],
    furtherInputOptions(input: string) {
      const sound = sounds.find(({ path }) => path === input);
      return sound === undefined ? drawnGuards : [...decodeGuards, ...sound.options];
    },
  };
  const result = await use(inputs);
  await Promise.all(watermarks.map(({ path }) => rm(path)));
  return result;
}
