import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { type Rational, rationalOfFps, rationalText, valueOf } from '../../ffmpeg/rational.ts';
import { planTiming } from '../video-timing.ts';
import type { PictureEdit } from './picture-edit.ts';
import type { VideoTiming } from '../../plan/video-plan.ts';

/** Repetitions of the last picture, at most, for a source that ends a little before its last stamp says. */
const mostRepeatedFrames = 2;

/** Greater than rounding errors, and smaller than the distance of two pictures. */
const roundingSeconds = 2e-6;

/**
 * Ends the stream where the plan has the end of the last picture. ffmpeg ends it where the packet says, and many files say nothing or too little of
 * their last one: on another grid `fps` would never show it, or not for its time. `setpts` is asked for the end, too, after the last picture.
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
 * Puts pictures on the clock of the output. At a constant rate the filter `fps` repeats a picture where the next is missing and
 * leaves one out where two fall together; the count is that of the plan.
 */
function timingFilters(timing: VideoTiming, source: PictureSource): string[] {
  const { timeBase, isStamped, heldBack, constantRate, frames: sourceFrames } = source;
  if (timing.kind === 'constant') {
    const { fps, frames } = timing;
    // Where the file stamps no pictures, each comes with the time of the packet that brought it out of the decoder.
    const late = isStamped ? 0 : heldBack / valueOf(constantRate ?? fps);
    const startSeconds = timing.startSeconds + late;
    return [
      ...endFilters(source, fps),
      `fps=fps=${rationalText(fps)}:start_time=${startSeconds.toFixed(6)}:round=near:eof_action=pass`,
      `tpad=stop=${mostRepeatedFrames}:stop_mode=clone`,
      `trim=end_frame=${frames}`,
      'setpts=PTS-STARTPTS',
    ];
  }
  const { stamps, startTicks } = timing;
  const isCut = stamps.length < sourceFrames;
  return [
    `settb=${rationalText(timeBase)}`,
    ...(isCut ? [`trim=start_pts=${stamps[0]}:end_pts=${(stamps.at(-1) ?? 0) + 1}`] : []),
    `setpts=if(eq(N\\,0)\\,0\\,PTS-${startTicks})`,
  ];
}

export const frameRate: PictureEdit = {
  plan({ settings: { fps }, source, soundStart }) {
    return fps === undefined ? {} : { timing: planTiming(rationalOfFps(fps), source, soundStart) };
  },
  onSource: ({ timing }, source) => timingFilters(timing, source),
  obstacleToCopy(_, { settings: { fps }, source: { constantRate } }) {
    if (fps === undefined) return undefined;
    const isSame = constantRate !== undefined && valueOf(rationalOfFps(fps)) === valueOf(constantRate);
    return isSame ? undefined : 'the source has another frame rate';
  },
};
