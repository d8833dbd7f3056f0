import { rm } from 'node:fs/promises';
import { pictureDecodeGuards } from '../ffmpeg/guards.ts';
import type { FfmpegRun } from '../ffmpeg/run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { writeDrawnSubtitles } from './drawn-subtitles.ts';
import { pictureGraph } from './picture-filters.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import { canvasInput } from './subtitle-canvas.ts';
import { drawnGuards, drawWatermarks } from './watermark-image.ts';
import { decoderThreads, seekOptions, type PictureEntry } from '../ffmpeg/picture-entry.ts';

/** A sound or subtitle file that is read beside the source. */
export interface InputBeside {
  path: string;
  /** Input options, including its guards. */
  options: readonly string[];
}

interface PictureInputs {
  targets: readonly { plan: { video: VideoPlan }; path: string }[];
  beside: readonly InputBeside[];
  entry: PictureEntry;
}

type Inputs = Pick<FfmpegRun, 'input' | 'inputOptions' | 'furtherInputs'>;

/**
 * Lets `use` run ffmpeg on the inputs for these outputs' pictures: the source, then files beside its pictures, then
 * overlays. The graph's results are `[v0]`, `[v1]` and so on. A measurement uses the same graph and sees the pictures
 * that were encoded.
 */
export async function withPictureInputs<Result>(
  source: PictureSource,
  { targets, beside, entry }: PictureInputs,
  { limits, signal }: { limits: RunLimits; signal: AbortSignal },
  use: (inputs: Inputs) => Promise<Result>,
): Promise<Result> {
  const watermarks = await drawWatermarks(targets, { limits, signal });
  const scripts = await writeDrawnSubtitles(targets, { limits, signal });
  const canvases = targets.flatMap(({ plan: { video } }) => {
    const { drawnSubtitles: drawn } = video;
    return drawn?.kind === 'pictures' ? [{ video, ...canvasInput(drawn, source) }] : [];
  });
  const graph = pictureGraph(
    targets.map(({ plan }) => plan.video),
    source,
    targets.map(({ plan }, index) => {
      const numberOf = (place: number): number | undefined => (place === -1 ? undefined : 1 + beside.length + place);
      const watermark = watermarks.findIndex((one) => one.watermark === plan.video.watermark);
      const canvas = canvases.findIndex(({ video }) => video === plan.video);
      return {
        watermark: numberOf(watermark),
        canvas: canvas === -1 ? undefined : numberOf(watermarks.length + canvas),
        script: scripts[index],
      };
    }),
  );
  const inputs: Inputs = {
    input: source.path,
    inputOptions: [
      ...[...pictureDecodeGuards(decoderThreads), '-copyts', ...seekOptions(entry.seekSeconds)],
      ...['-filter_complex', graph],
    ],
    furtherInputs: [...beside, ...watermarks.map(({ path }) => ({ path, options: drawnGuards })), ...canvases],
  };
  const result = await use(inputs);
  const drawn = [...watermarks.map(({ path }) => path), ...scripts.filter((path) => path !== undefined)];
  await Promise.all(drawn.map((path) => rm(path)));
  return result;
}
