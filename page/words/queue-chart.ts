import type { QueueHistory, QueueSample } from '../../contract/server/queue.ts';

/** Lines in a 1000 × 100 view box, with gaps where samples are missing. */
export interface QueueChart {
  from: string;
  to: string;
  /** Value at the top of the chart. */
  most: number;
  /** Sample with the longest queue. */
  longest: QueueSample;
  lines: Record<'backlog' | 'busy', string[]>;
}

export function shapeQueue({ everySeconds, samples }: QueueHistory): QueueChart | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return undefined;
  const [fromMs, toMs] = [Date.parse(first.at), Date.parse(last.at)];
  const most = samples.reduce((height, { backlog, busy }) => Math.max(height, backlog, busy), 1);
  const stretches: QueueSample[][] = [];
  let beforeMs = -Infinity;
  for (const sample of samples) {
    const atMs = Date.parse(sample.at);
    // 1.5 intervals: a late timer is no gap, a missing sample is one.
    if (atMs - beforeMs > 1.5 * everySeconds * 1000) stretches.push([]);
    stretches.at(-1)?.push(sample);
    beforeMs = atMs;
  }
  const placeOf = (at: string): string => ((1000 * (Date.parse(at) - fromMs)) / Math.max(1, toMs - fromMs)).toFixed(1);
  const lineOf = (field: 'backlog' | 'busy') => (stretch: readonly QueueSample[]) =>
    stretch.map((sample) => `${placeOf(sample.at)},${(100 * (1 - sample[field] / most)).toFixed(1)}`).join(' ');
  return {
    from: first.at,
    to: last.at,
    most,
    longest: samples.reduce((longest, sample) => (sample.backlog > longest.backlog ? sample : longest), first),
    lines: { backlog: stretches.map(lineOf('backlog')), busy: stretches.map(lineOf('busy')) },
  };
}
