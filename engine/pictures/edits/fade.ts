import type { FileSettings } from '../../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import type { PictureFade, VideoTiming } from '../../plan/video-plan.ts';
import { plannedSeconds, roundingSeconds } from '../video-timing.ts';
import { appendFilters, type PictureEdit } from './picture-edit.ts';

function planFade(
  { in: fadeIn = 0, out: fadeOut = 0 }: NonNullable<FileSettings['fade']>,
  timing: VideoTiming,
  naming: OutputNaming,
): PictureFade {
  const length = plannedSeconds(timing);
  if (fadeIn + fadeOut <= length + roundingSeconds) return { in: fadeIn, out: fadeOut, length };
  throw new UnsupportedOutput(naming, `its fades are longer than the ${length.toFixed(3)} s that it has`);
}

function fadeFilters({ in: fadeIn, out: fadeOut, length }: PictureFade): string[] {
  return [
    ...(fadeIn > 0 ? [`fade=t=in:st=0:d=${fadeIn.toFixed(6)}`] : []),
    ...(fadeOut > 0 ? [`fade=t=out:st=${Math.max(0, length - fadeOut).toFixed(6)}:d=${fadeOut.toFixed(6)}`] : []),
  ];
}

export const fade: PictureEdit = {
  plan: ({ output }, { timing }) => (output.fade === undefined ? {} : { fade: planFade(output.fade, timing, output) }),
  onFrame: (chains, plan) => (plan.fade === undefined ? chains : appendFilters(chains, fadeFilters(plan.fade))),
  obstacleToCopy: (plan) => (plan.fade === undefined ? undefined : 'its pictures fade'),
};
