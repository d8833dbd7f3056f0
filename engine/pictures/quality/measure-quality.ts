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
import { escapePath } from '../../subtitles/draw-filter.ts';
import { type PictureScoreList, readScoreLog } from './score-log.ts';
import { summariseScores } from './summarise-scores.ts';

const run = promisify(execFile);

interface MeasureRun {
  limits: RunLimits;
  signal: AbortSignal;
  /** Receives the measured fraction, from 0 to 1. */
  onFraction(fraction: number): void;
  /** The file's pictures are smaller than planned and are enlarged as by players. */
  isEnlarged?: boolean;
  /** Pictures of the file before the planned ones. The file may also have pictures after them. */
  before?: number;
}

/** Share of the measurement in a film's time. libvmaf takes about as much per picture as x264 at `medium`. */
export const measureShare = 0.4;

export interface MeasuredQuality {
  quality: QualityFacts;
  /** Average difference of a pixel from the previous picture at the encoder's input, in 8-bit steps. */
  motion: number;
}

/** More threads take more memory and gain little, because the reference is decoded at the same time. */
const measureThreads = Math.min(4, availableParallelism());

/**
 * Netflix's model for 4K screens applies above a size that a 1080p screen would show. Tools agree on 2560x1440 as the
 * threshold.
 */
export function modelFor({ width, height }: { width: number; height: number }): string {
  return width * height > 2560 * 1440 ? 'vmaf_4k_v0.6.1' : 'vmaf_v0.6.1';
}

/**
 * Pictures are compared by number, whatever their times. Both get the same colour tags, or the tool would convert one
 * of them.
 */
function measuringGraph(
  { shape, pixelFormat, timing }: VideoPlan,
  logPath: string,
  { isEnlarged = false, before }: Pick<MeasureRun, 'isEnlarged' | 'before'>,
): string {
  const { width, height } = shape.size;
  const kept = before === undefined ? '' : `trim=start_frame=${before}:end_frame=${before + plannedFrames(timing)},`;
  const enlarged = isEnlarged ? `scale=${width}:${height}:flags=bicubic,` : '';
  const alike = `format=${pixelFormat},setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709,settb=1/25,setpts=N`;
  const options = [
    `model=version=${modelFor(shape.size)}`,
    'feature=name=psnr|name=float_ssim',
    `n_threads=${measureThreads}`,
    'log_fmt=csv',
    `log_path=${escapePath(logPath)}`,
    'shortest=1',
  ];
  return `[0:v]${alike}[reference];[1:v]${kept}${enlarged}${alike}[made];[made][reference]libvmaf=${options.join(':')}`;
}

/** Display times of an output's pictures, in seconds of the output. */
function pictureTimes(timing: VideoPlan['timing'], frames: number): number[] {
  if (timing.kind === 'constant') return Array.from({ length: frames }, (_, index) => index / valueOf(timing.fps));
  const { stamps, startTicks, timeBase } = timing;
  return stamps.slice(0, frames).map((stamp, index) => (index === 0 ? 0 : (stamp - startTicks) * valueOf(timeBase)));
}

/** Compares each picture of a finished file with the encoder's input. */
export async function measureQuality(
  source: PictureSource,
  target: PictureTarget,
  frames: number,
  run: MeasureRun,
): Promise<MeasuredQuality> {
  const scores = await scorePictures(source, target, frames, run);
  const motion = scores.motion.reduce((sum, score) => sum + score, 0) / scores.motion.length;
  return { quality: summariseQuality(target.plan.video, scores), motion };
}

/** Pools the scores of all pictures of an output. `seams`: first pictures of all segments of a spread film except the first. */
export function summariseQuality(
  { timing, shape }: VideoPlan,
  { vmaf, psnr, ssim }: Omit<PictureScoreList, 'motion'>,
  seams?: readonly number[],
): QualityFacts {
  const times = pictureTimes(timing, vmaf.length);
  const span = { times, endSeconds: plannedSeconds(timing), seams: seams?.map((picture) => times[picture] ?? 0) };
  return {
    vmaf: { ...summariseScores(vmaf, span, 2), model: modelFor(shape.size) },
    psnr: summariseScores(psnr, span, 2),
    ssim: summariseScores(ssim, span, 4),
  };
}

/**
 * Scores each picture of a finished file against the encoder's input. ffmpeg recreates that input with the encode's
 * graph, and the tool with libvmaf reads it through a pipe beside the file
 * (docs/decisions/measure-quality-against-encoder-input.md).
 */
export async function scorePictures(
  source: PictureSource,
  target: PictureTarget,
  frames: number,
  { limits, signal, onFraction, ...made }: MeasureRun,
): Promise<PictureScoreList> {
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
        runFfmpeg({ ...inputs, limits, signal: either, isPiped: true, outputs: [{ path: pipe, options: raw }] }),
      );
    const measure: PoolTask<unknown> = (either) =>
      runFfmpeg({
        tool: 'vmaf',
        isPiped: true,
        input: pipe,
        inputOptions: [
          ...rawPictureGuards({ ...size, pixelFormat: plan.video.pixelFormat }),
          ...['-filter_complex', measuringGraph(plan.video, log, made)],
        ],
        furtherInputs: [{ path, options: finishedFileGuards(containers[plan.container].demuxer) }],
        outputs: [{ path: '-', options: ['-f', 'null'] }],
        ...{ limits, signal: either },
        onProgress: ({ mediaSeconds }) => onFraction((mediaSeconds * 25) / frames),
      });
    // If one fails, the other would otherwise wait for it.
    await runPool([measure, makeReference], 2, signal);
    const scores = await readScoreLog(log, plannedFrames(plan.video.timing));
    const count = scores.vmaf.length;
    if (count !== frames) throw unlike(plan, count, frames);
    return scores;
  } finally {
    await Promise.all([pipe, log].map((file) => rm(file, { force: true })));
  }
}

function unlike({ label, named }: PictureTarget['plan'], found: number, frames: number): MediaError {
  return new MediaError(
    'output_invalid',
    `The output ${label} failed its verification: only ${found} of its ${frames} pictures could be compared with the source's. Nothing was uploaded.`,
    { details: named },
  );
}
