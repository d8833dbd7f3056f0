import { containers } from '../../contract/formats.ts';
import type { OutputPlan } from '../plan/planned-output.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import { writePictureLength } from './picture-length.ts';
import { plannedSeconds } from './video-timing.ts';

type FilmPlan = Pick<OutputPlan, 'container' | 'isFragmented'> & { video: VideoPlan };

/** Least ticks per second of ffmpeg's MP4, which doubles a smaller number. */
const leastTimescale = 10_000;

/** Ticks per second of Matroska. */
const matroskaTimescale = 1_000;

function timescaleOf(ticks: number): number {
  return ticks >= leastTimescale ? ticks : timescaleOf(2 * ticks);
}

/** Longest duration of a packet that ffmpeg accepts for MP4, in ticks. */
const mostTicks = 2 ** 31 - 1;

/**
 * ffmpeg options by which a file of variable rate states for how long its last picture is shown. Encoders do not tell the
 * muxer, which repeats the distance of the last two pictures. At a constant rate, this distance is right. `times` are
 * the expressions of the times of copied packets, whose rate is always planned as variable.
 */
export function lastPictureArguments(
  { container, isFragmented, video: { timing } }: FilmPlan,
  times = 'pts=PTS:dts=DTS',
): string[] {
  if (timing.kind === 'constant') return [];
  // `TB` of `setts` is not the clock of the times that it gets in MP4.
  const isMov = containers[container].demuxer === 'mov';
  const timescale = isMov ? timescaleOf(timing.timeBase.den) : matroskaTimescale;
  const end = Math.round(plannedSeconds(timing) * timescale);
  // MP4 keeps the duration of the last packet alone, counted from its decoding time. Matroska keeps the latest end. Copied
  // pictures in fragments may be reordered; readers then count from the display or from the decoding.
  const ofMov = isFragmented === true ? 'max(PTS\\,DTS-STARTDTS)' : 'DTS';
  const until = `${end}-${isMov ? ofMov : 'PTS'}`;
  return [
    ...(isMov ? ['-video_track_timescale', String(timescale)] : []),
    ...['-bsf:v', `setts=${times}:duration=clip(${until}\\,1\\,${mostTicks})`],
  ];
}

/**
 * Encoder arguments by which each picture is decoded when it is shown. Pictures of a variable rate need them if the film is
 * cut: a segment between requested key frames is as long as the decoding of its pictures, and readers disagree on the length
 * of fragments whose pictures are reordered.
 */
export function orderArguments({ isFragmented, video: { timing, keyframeSeconds } }: FilmPlan): string[] {
  const isCut = isFragmented === true || keyframeSeconds !== undefined;
  return timing.kind === 'variable' && isCut ? ['-bf', '0'] : [];
}

/** Completes the file of a variable rate after ffmpeg has ended. */
export async function finishLastPicture(path: string, { container, isFragmented, video }: FilmPlan): Promise<void> {
  const hasLength = containers[container].demuxer === 'mov' && isFragmented !== true;
  if (video.timing.kind === 'variable' && hasLength) await writePictureLength(path, plannedSeconds(video.timing));
}
