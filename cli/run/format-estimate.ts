import { formatDuration } from '../../client/text/format-duration.ts';
import { type Estimate, previewSeconds } from '../media/preview.ts';
import { formatSize } from '../text/format-size.ts';

/** Lines on the size of each output and the time of the whole, with their basis. */
export function formatEstimate(
  labels: readonly string[],
  { mediaSeconds, sizes, speed, encodeSeconds }: Estimate,
): string[] {
  const ofOutputs = labels.flatMap((label, index) => {
    const size = sizes[index];
    return size === undefined ? [] : [`  ${label}: about ${formatSize(size)}`];
  });
  return [
    `Estimate for the whole (${formatDuration(mediaSeconds)}), if all of it is like these ${previewSeconds} seconds:`,
    ...ofOutputs,
    encodeSeconds === undefined
      ? '  time: not known, because the preview was encoded before ffmpeg reported a speed'
      : `  time: about ${formatDuration(encodeSeconds)} to encode, at ${speed?.toFixed(1)} times the speed of playback`,
  ];
}
