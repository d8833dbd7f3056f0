import type { PictureTiming } from '../../contract/http/media.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import { roundRate } from './describe-media.ts';
import { pictureSeconds, type PictureSource } from './pictures/picture-source.ts';

/** Measured timing of a film's pictures. */
export function describeTiming(pictures: PictureSource): PictureTiming {
  const { constantRate, stamps, frames, timeBase, keyTicks, endTicks } = pictures;
  const seconds = pictureSeconds(pictures);
  const tick = valueOf(timeBase);
  const steps = (stamps ?? []).slice(1).map((stamp, index) => (stamp - (stamps?.[index] ?? 0)) * tick);
  const extremes = steps.reduce(
    ({ shortest, longest }, step) => ({ shortest: Math.min(shortest, step), longest: Math.max(longest, step) }),
    { shortest: Infinity, longest: 0 },
  );
  const longestGroup = keyTicks.reduce(
    (longest, key, index) => Math.max(longest, (keyTicks[index + 1] ?? endTicks) - key),
    0,
  );
  const isVariable = constantRate === undefined && steps.length > 0;
  return {
    ...{ frames, seconds: roundToMilliseconds(seconds), isConstant: constantRate !== undefined },
    fps: roundRate(constantRate === undefined ? frames / seconds : valueOf(constantRate)),
    ...(isVariable && {
      shortest: roundToMilliseconds(extremes.shortest),
      longest: roundToMilliseconds(extremes.longest),
    }),
    keyframes: keyTicks.length,
    longestGroup: roundToMilliseconds(tick * longestGroup),
  };
}
