import { defaultSilenceThreshold, type Silence } from '../../contract/http/silence.ts';
import type { QuietBlocks } from './quiet-blocks.ts';

/** Samples of a source, per channel; `to` is exclusive. */
export interface SampleRange {
  from: number;
  to: number;
}

/** A shorter pause is part of speech. */
const leastSilenceSeconds = 0.2;

/** Kept before the first sound and after the last: consonants start, and rooms fade, below the threshold. */
export const marginSeconds = 0.1;

/**
 * ffmpeg accepts an argument of 128 KiB, and a range takes 40 bytes of it. If there are more, the shortest ones stay.
 */
const mostDrops = 2000;

/** Finds the silences of a source, each as long as possible. */
export function findSilences(
  { blockSamples, peaks }: QuietBlocks,
  samples: number,
  thresholdDb = defaultSilenceThreshold,
): SampleRange[] {
  const silences: SampleRange[] = [];
  // Peaks have single precision.
  const threshold = Math.fround(thresholdDb);
  for (const [block, peak] of peaks.entries()) {
    if (Number.isNaN(peak) || peak >= threshold) continue;
    const from = block * blockSamples;
    const to = Math.min(from + blockSamples, samples);
    const last = silences.at(-1);
    if (last?.to === from) last.to = to;
    else silences.push({ from, to });
  }
  return silences;
}

/** Rest of a source without its silences: its range, and the blocks to drop in between. */
export interface SilenceCut extends SampleRange {
  /** Whole blocks, ordered and separate. */
  drops: SampleRange[];
}

/** Removes the silences in a range of a source as an output requests. The result may be empty. */
export function cutSilences(
  range: SampleRange,
  { trimStart = false, trimEnd = false, shortenTo, threshold }: Silence,
  quiet: QuietBlocks,
  sampleRate: number,
): SilenceCut {
  const cut: SilenceCut = { ...range, drops: [] };
  const margin = Math.round(marginSeconds * sampleRate);
  const kept = shortenTo === undefined ? Infinity : Math.round(shortenTo * sampleRate);
  for (const silence of findSilences(quiet, range.to, threshold)) {
    const from = Math.max(silence.from, range.from);
    const to = Math.min(silence.to, range.to);
    if (to - from < leastSilenceSeconds * sampleRate) continue;
    const [isFirst, isLast] = [from === range.from, to === range.to];
    // Everything is silent, so nothing remains between the ends.
    if (isFirst && isLast && (trimStart || trimEnd)) return { from, to: from, drops: [] };
    const before = isFirst ? 0 : isLast ? (trimEnd ? margin : kept) : kept / 2;
    const after = isFirst ? (trimStart ? margin : kept) : isLast ? 0 : kept / 2;
    const drop = { from: from + before, to: to - after };
    if (drop.from >= drop.to) continue;
    if (isFirst) cut.from = Math.round(drop.to);
    else if (isLast) cut.to = Math.round(drop.from);
    else cut.drops.push(inWholeBlocks(drop, quiet.blockSamples));
  }
  const long = cut.drops.filter(({ from, to }) => from < to);
  const longest = long.toSorted((one, other) => other.to - other.from - (one.to - one.from)).slice(0, mostDrops);
  return { ...cut, drops: longest.toSorted((one, other) => one.from - other.from) };
}

function inWholeBlocks({ from, to }: SampleRange, blockSamples: number): SampleRange {
  return {
    from: Math.ceil(from / blockSamples) * blockSamples,
    to: Math.floor(to / blockSamples) * blockSamples,
  };
}

/**
 * ffmpeg expression that is 0 for blocks in these ranges and 1 for others. It searches by halving, because ffmpeg
 * evaluates it for each block.
 */
export function keepExpression(drops: readonly SampleRange[], blockSamples: number): string {
  const middle = drops[drops.length >> 1];
  if (middle === undefined) return '1';
  const before = keepExpression(drops.slice(0, drops.length >> 1), blockSamples);
  const after = keepExpression(drops.slice((drops.length >> 1) + 1), blockSamples);
  return `if(lt(n,${middle.from / blockSamples}),${before},if(lt(n,${middle.to / blockSamples}),0,${after}))`;
}
