/** audiowaveform's JSON: pairs of the lowest and highest sample. */
export interface Peaks {
  bits: number;
  channels: number;
  length: number;
  data: number[];
}

/** Height of each bar, from 0 to 1; all 0 without peaks. */
export function barsOf(peaks: Peaks | undefined, count: number): number[] {
  const heights = Array.from({ length: count }, () => 0);
  if (peaks === undefined || peaks.length === 0) return heights;
  const perPair = 2 * peaks.channels;
  for (let pair = 0; pair < peaks.length; pair += 1) {
    // With fewer pairs than bars, a pair covers several bars.
    const first = Math.floor((pair * count) / peaks.length);
    const last = Math.max(first + 1, Math.floor(((pair + 1) * count) / peaks.length));
    const values = peaks.data.slice(pair * perPair, (pair + 1) * perPair);
    const height = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    for (let bar = first; bar < last; bar += 1) heights[bar] = Math.max(heights[bar] ?? 0, height);
  }
  const tallest = heights.reduce((most, height) => Math.max(most, height), 1);
  return heights.map((height) => height / tallest);
}
