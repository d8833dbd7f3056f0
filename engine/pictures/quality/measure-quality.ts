import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { QualityFacts } from '../../../contract/http/quality.ts';
import { containers } from '../../../contract/formats.ts';
import { MediaError } from '../../media-error.ts';
import { finishedFileGuards, rawPictureGuards } from '../../ffmpeg/guards.ts';
import { runFfmpeg } from '../../ffmpeg/run.ts';
import type { PictureTarget } from '../picture-target.ts';
import { planEntry } from '../entry.ts';
import { withPictureInputs } from '../picture-inputs.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { valueOf } from '../../ffmpeg/rational.ts';
import type { VideoPlan } from '../../plan/video-plan.ts';
import { plannedFrames, plannedSeconds } from '../video-timing.ts';
import { type PoolTask, runPool } from '../../pool.ts';
import type { RunLimits } from '../../ffmpeg/limits.ts';
import { readScoreLog } from './score-log.ts';
import { summariseScores } from './summarise-scores.ts';

const run = promisify(execFile);

interface MeasureRun {
  limits: RunLimits;
  signal: AbortSignal;
  /** Told how much is measured, of 0 to 1. */
  onFraction(fraction: number): void;
  /** The file's pictures are smaller than those that are planned, and enlarged as players do. */
  isEnlarged?: boolean;
}

export interface MeasuredQuality {
  quality: QualityFacts;
  /** How far a pixel of what went into the encoder is from that of the picture before, on average, in steps of 8 bits. */
  motion: number;
}

/** More threads take more memory and bring little: the reference is decoded beside it. */
const measureThreads = Math.min(4, availableParallelism());

/** Netflix's model for screens of 4K above what a screen of 1080p would show; at 2560x1440 tools agree to change over. */
export function modelFor({ width, height }: { width: number; height: number }): string {
  return width * height > 2560 * 1440 ? 'vmaf_4k_v0.6.1' : 'vmaf_v0.6.1';
}

/** A path in a filter's option: escaped for the option, and for the graph around it (pure). */
export function escapeInFilter(path: string): string {
  return path.replaceAll(/[\\':]/g, String.raw`\$&`).replaceAll(/[\\'[\],;]/g, String.raw`\$&`);
}

/**
 * Pictures are compared by their number, whatever their times are. Both are said to have the same colours, else the tool would
 * convert one of them.
 */
function measuringGraph({ shape, pixelFormat }: VideoPlan, logPath: string, isEnlarged: boolean): string {
  const { width, height } = shape.size;
  const enlarged = isEnlarged ? `scale=${width}:${height}:flags=bicubic,` : '';
  const alike = `format=${pixelFormat},setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709,settb=1/25,setpts=N`;
  const options = [
    `model=version=${modelFor(shape.size)}`,
    'feature=name=psnr|name=float_ssim',
    `n_threads=${measureThreads}`,
    'log_fmt=csv',
    `log_path=${escapeInFilter(logPath)}`,
    'shortest=1',
  ];
  return `[0:v]${alike}[reference];[1:v]${enlarged}${alike}[made];[made][reference]libvmaf=${options.join(':')}`;
}

/** Seconds of the output at which its pictures are shown (pure). */
function pictureTimes(timing: VideoPlan['timing'], frames: number): number[] {
  if (timing.kind === 'constant') return Array.from({ length: frames }, (_, index) => index / valueOf(timing.fps));
  const { stamps, startTicks, timeBase } = timing;
  return stamps.slice(0, frames).map((stamp, index) => (index === 0 ? 0 : (stamp - startTicks) * valueOf(timeBase)));
}

/**
 * Compares each picture of a finished file with the one that went into its encoder: ffmpeg makes those again, by the graph of the encode,
 * and the tool with libvmaf reads them through a pipe beside the file (docs/decisions/measure-quality-against-encoder-input.md).
 */
export async function measureQuality(
  source: PictureSource,
  target: PictureTarget,
  frames: number,
  { limits, signal, onFraction, isEnlarged = false }: MeasureRun,
): Promise<MeasuredQuality> {
  const { plan, path } = target;
  const { size } = plan.video.shape;
  const entry = planEntry([plan.video], source);
  const pipe = `${path}-reference`;
  const log = `${path}-scores`;
  await run('mkfifo', ['-m', '600', pipe]);
  try {
    const raw = ['-map', '[v0]', '-fps_mode', 'passthrough', '-c:v', 'rawvideo', '-f', 'rawvideo'];
    const makeReference: PoolTask<unknown> = (either) =>
      withPictureInputs(source, { targets: [target], beside: [], entry }, { limits, signal: either }, (inputs) =>
        runFfmpeg({
          ...{ ...inputs, limits, signal: either, outputs: [{ path: pipe, options: raw }] },
          onProgress: () => {},
        }),
      );
    const measure: PoolTask<unknown> = (either) =>
      runFfmpeg({
        tool: 'vmaf',
        input: pipe,
        inputOptions: [
          ...rawPictureGuards({ ...size, pixelFormat: plan.video.pixelFormat }),
          ...['-filter_complex', measuringGraph(plan.video, log, isEnlarged)],
        ],
        furtherInputs: [path],
        furtherInputOptions: () => finishedFileGuards(containers[plan.container].demuxer),
        outputs: [{ path: '-', options: ['-f', 'null'] }],
        ...{ limits, signal: either },
        onProgress: ({ mediaSeconds }) => onFraction((mediaSeconds * 25) / frames),
      });
    // Where one of them fails the other would wait for it.
    await runPool([measure, makeReference], 2, signal);
    const scores = await readScoreLog(log, plannedFrames(plan.video.timing));
    const count = scores.vmaf.length;
    if (count !== frames) throw unlike(plan, count, frames);
    const times = pictureTimes(plan.video.timing, count);
    const end = plannedSeconds(plan.video.timing);
    const quality = {
      vmaf: { ...summariseScores(scores.vmaf, times, end, 2), model: modelFor(size) },
      psnr: summariseScores(scores.psnr, times, end, 2),
      ssim: summariseScores(scores.ssim, times, end, 4),
    };
    return { quality, motion: scores.motion.reduce((sum, score) => sum + score, 0) / count };
  } finally {
    await Promise.all([pipe, log].map((file) => rm(file, { force: true })));
  }
}

function unlike({ label, named }: PictureTarget['plan'], found: number, frames: number): MediaError {
  return new MediaError(
    'output_invalid',
    `The output ${label} did not come out right: ${found} of its ${frames} pictures could be compared with the source's. Nothing was uploaded.`,
    { details: named },
  );
}
