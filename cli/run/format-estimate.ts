import { formatCount } from '../../client/text/format-count.ts';
import { formatDuration } from '../../client/text/format-duration.ts';
import { type PreviewEstimate, previewSeconds } from '../../contract/preview.ts';
import type { EstimateView } from '../../contract/server/estimate.ts';
import { formatSize } from '../text/format-size.ts';

/** Lines on the size of each output and the time of the whole, with their basis. */
export function formatEstimate(
  labels: readonly string[],
  { mediaSeconds, sizes, speed, encodeSeconds }: PreviewEstimate,
): string[] {
  const ofOutputs = labels.flatMap((label, index) => {
    const size = sizes[index];
    return size === undefined ? [] : [`  ${label}: about ${formatSize(size)}`];
  });
  return [
    `Estimate for the whole (${formatDuration(mediaSeconds)}), if all of it is like these ${previewSeconds} seconds:`,
    ...ofOutputs,
    encodeSeconds === undefined
      ? '  time: not known, because the preview was encoded too quickly to measure a speed'
      : `  time: about ${formatDuration(encodeSeconds)} to encode, at ${speed?.toFixed(1)} times the speed of playback`,
  ];
}

/** Lines on the expected time, size and cost of a run, and on the basis of the estimate. */
export function formatRunEstimate(
  labels: readonly string[],
  { runs, seconds, cpuSeconds, sizes = [], cost, currency }: EstimateView,
): string[] {
  if (seconds === undefined) {
    return [
      '  no estimate, because no run of the same kind has succeeded yet',
      '  --preview estimates from ten seconds of the file',
    ];
  }
  const processor = cpuSeconds === undefined ? '' : `, with ${formatDuration(cpuSeconds)} of processor time`;
  return [
    `  time: about ${formatDuration(seconds)} in a container${processor}`,
    ...labels.map((label, index) => `  ${label}: about ${formatSize(sizes[index] ?? 0)}`),
    ...(cost === undefined ? [] : [`  cost: about ${cost} ${currency}`]),
    `  from ${formatCount(runs, 'past run')} of the same kind`,
  ];
}
