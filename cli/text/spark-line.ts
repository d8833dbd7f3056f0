const bars = ' ▁▂▃▄▅▆▇█';

/** Heights from 0 to 1 as `width` characters; each shows the greatest height of its range. */
export function sparkLine(heights: readonly number[], width: number): string {
  if (heights.length === 0) return '';
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * heights.length) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * heights.length) / width));
    const height = heights.slice(from, to).reduce((one, other) => Math.max(one, other), 0);
    const step = height > 0 ? Math.max(1, Math.round(Math.min(1, height) * (bars.length - 1))) : 0;
    return bars[step] ?? ' ';
  }).join('');
}
