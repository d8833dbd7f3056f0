import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { greatestCommonDivisor, type Rational, rationalOfFps, rationalText, valueOf } from '../../ffmpeg/rational.ts';
import { planTiming } from '../video-timing.ts';
import type { PictureEdit } from './picture-edit.ts';
import type { VideoTiming } from '../../plan/video-plan.ts';

/** Most repetitions of the last picture, for a source that ends slightly before its last timestamp implies. */
const mostRepeatedFrames = 2;

/**
 * Drops a picture that comes after a later one. Decoders return such a picture where packets of the source were lost, and
 * a muxer would give it another time.
 */
const risingFilter = 'select=not(lte(pts\\,prev_selected_pts))';

/** Larger than rounding errors, smaller than the distance of two pictures. */
const roundingSeconds = 2e-6;

/**
 * Ends the stream at the planned end of the last picture. ffmpeg ends it where the packet says, but many files state no
 * or too little duration for their last picture; on another grid, `fps` would not show it, or not long enough. `setpts`
 * is also evaluated for the end, after the last picture.
 */
function endFilters({ timeBase, endTicks, stamps, constantRate }: PictureSource, fps: Rational): string[] {
  const last = stamps?.at(-1);
  const isKept = constantRate !== undefined && valueOf(constantRate) === valueOf(fps);
  if (last === undefined || isKept) return [];
  const shown = (last * valueOf(timeBase) - roundingSeconds).toFixed(6);
  const end = (endTicks * valueOf(timeBase)).toFixed(6);
  return [`setpts=if(gte(PREV_INT\\,${shown})\\,max(PTS\\,${end}/TB)\\,PTS)`];
}

/**
 * Keeps pictures without timestamps a whole picture apart. No packet releases the last ones from the decoder, and ffmpeg
 * places each one tick after the previous. Some AVI has two ticks for each picture.
 */
function apartFilters({ isStamped, constantRate, timeBase }: PictureSource): string[] {
  if (isStamped || constantRate === undefined) return [];
  const seconds = 1 / valueOf(constantRate);
  if (seconds < 1.5 * valueOf(timeBase)) return [];
  return [`setpts=if(isnan(PREV_OUTPTS)\\,PTS\\,max(PTS\\,PREV_OUTPTS+${seconds.toFixed(9)}/TB+0.01))`];
}

/** Most ticks per second that ffmpeg's filters read exactly from a fraction. */
const mostTicks = 1e9;

/**
 * A clock with a whole number of ticks for each tick of the source and for each picture of the rate. `fps` rounds its
 * start to ticks: on a coarser clock, a picture halfway between two places of the grid took the one in a film and the
 * other in a part of this film. If such a clock is too fast, ticks of the source are rounded, in each part alike.
 */
function commonClock(timeBase: Rational, fps: Rational): Rational {
  const ticks = (timeBase.den / greatestCommonDivisor(timeBase.den, fps.num)) * fps.num;
  const ofRate = mostTicks - (mostTicks % fps.num);
  if (ticks > mostTicks && ofRate === 0) return timeBase;
  return { num: 1, den: ticks <= mostTicks ? ticks : ofRate };
}

/**
 * Puts pictures on the grid of a constant rate that begins at `start`, in seconds on the source's clock. The filter
 * `fps` repeats a picture if the next one is missing, and drops one if two coincide.
 */
export function gridFilters(source: PictureSource, fps: Rational, start: number): string[] {
  const { isStamped, heldBack, constantRate, timeBase } = source;
  // If the file has no timestamps, each picture carries the time of the packet that released it from the decoder.
  const late = isStamped ? 0 : heldBack / valueOf(constantRate ?? fps);
  const clock = commonClock(timeBase, fps);
  return [
    ...apartFilters(source),
    `settb=${rationalText(clock)}`,
    `setpts=PTS-(${Math.round((start + late) / valueOf(clock))})`,
    `fps=fps=${rationalText(fps)}:start_time=0:round=near:eof_action=pass`,
    `tpad=stop=${mostRepeatedFrames}:stop_mode=clone`,
  ];
}

/** Puts pictures on the output's clock. The number of pictures is that of the plan. */
function timingFilters(timing: VideoTiming, source: PictureSource): string[] {
  if (timing.kind === 'constant') {
    const { fps, frames, startSeconds, skipped = 0 } = timing;
    return [
      ...endFilters(source, fps),
      ...gridFilters(source, fps, startSeconds),
      `trim=end_frame=${frames}`,
      `setpts=PTS-STARTPTS${skipped > 0 ? `+${skipped}` : ''}`,
    ];
  }
  const { timeBase, stamps, startTicks } = timing;
  const isCut = stamps.length < source.frames;
  return [
    `settb=${rationalText(timeBase)}`,
    risingFilter,
    ...(isCut ? [`trim=start_pts=${stamps[0]}:end_pts=${(stamps.at(-1) ?? 0) + 1}`] : []),
    `setpts=if(eq(N\\,0)\\,0\\,PTS-${startTicks})`,
  ];
}

export const frameRate: PictureEdit = {
  plan({ settings: { fps }, source, drawnRate }) {
    const rate = fps === undefined ? drawnRate : rationalOfFps(fps);
    return rate === undefined ? {} : { timing: planTiming(rate, source) };
  },
  onSource: ({ timing }, source) => timingFilters(timing, source),
  obstacleToCopy(_, { settings: { fps }, source: { constantRate } }) {
    if (fps === undefined) return undefined;
    const isSame = constantRate !== undefined && valueOf(rationalOfFps(fps)) === valueOf(constantRate);
    return isSame ? undefined : 'the source has another frame rate';
  },
};
