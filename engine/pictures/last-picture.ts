import { containers } from '../../contract/formats.ts';
import { writePictureLength } from '../formats/isobmff/picture-length.ts';
import type { OutputPlan } from '../plan/planned-output.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import { plannedSeconds } from './video-timing.ts';

type FilmPlan = Pick<OutputPlan, 'container' | 'isFragmented'> & { video: VideoPlan };

/** Least ticks per second of ffmpeg's MP4, which doubles a smaller number. */
const leastTimescale = 10_000;

/** Ticks per second of Matroska. */
const matroskaTimescale = 1_000;

function timescaleOf(ticks: number): number {
  return ticks >= leastTimescale ? ticks : timescaleOf(2 * ticks);
}

/**
 * ffmpeg options by which a file of variable rate states for how long its last picture is shown. Encoders do not tell the
 * muxer, which takes the distance of the two pictures before it. At a constant rate, this distance is right.
 */
export function lastPictureArguments({ container, video: { timing } }: FilmPlan): string[] {
  if (timing.kind === 'constant') return [];
  // `TB` of `setts` is not the clock of the times that it gets in MP4.
  const isMov = containers[container].demuxer === 'mov';
  const timescale = isMov ? timescaleOf(timing.timeBase.den) : matroskaTimescale;
  const end = Math.round(plannedSeconds(timing) * timescale);
  // Of these durations, muxers use the last in MP4, and the one with the latest end in Matroska.
  const untilEnd = `max(1\\,${end}-${isMov ? 'DTS+STARTDTS' : 'PTS'})`;
  return [
    ...(isMov ? ['-video_track_timescale', String(timescale)] : []),
    ...['-bsf:v', `setts=pts=PTS:dts=DTS:duration=${untilEnd}`],
  ];
}

/** Completes the file of a variable rate after ffmpeg has ended. */
export async function finishLastPicture(path: string, { container, isFragmented, video }: FilmPlan): Promise<void> {
  const hasLength = containers[container].demuxer === 'mov' && isFragmented !== true;
  if (video.timing.kind === 'variable' && hasLength) await writePictureLength(path, plannedSeconds(video.timing));
}
