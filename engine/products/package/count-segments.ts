import type { RepresentationInfo, SegmentAttributes, TimelineEntry } from 'mpd-parser';

/**
 * Number of segments of these representations (pure). The parser lists every segment, and a few characters of a hostile
 * manifest can stand for billions: a repeat count, or a tiny segment length.
 */
export function countSegments(representations: readonly RepresentationInfo[], nowMs: number): number {
  return representations.reduce((sum, representation) => sum + countOf(representation, nowMs), 0);
}

function countOf({ attributes, segmentInfo }: RepresentationInfo, nowMs: number): number {
  const { template, base, list, segmentTimeline } = segmentInfo;
  const merged = { ...attributes, ...(template ?? base ?? list) };
  const { timescale = 1, duration } = merged;
  if (duration === undefined) return segmentTimeline === undefined ? 1 : countLines(segmentTimeline, merged, nowMs);
  const last = Number.parseInt(String(merged.endNumber), 10);
  return Number.isNaN(last) ? Math.max(0, (offeredSeconds(merged, nowMs) * timescale) / duration) : last;
}

/** Seconds since a live stream began; 0 for other manifests. */
function runningSeconds({ type, availabilityStartTime = NaN, periodStart = 0 }: SegmentAttributes, nowMs: number) {
  const seconds = nowMs / 1000 - availabilityStartTime - periodStart;
  return type === 'dynamic' && seconds > 0 ? seconds : 0;
}

/** Seconds that a player may request; for a live stream, those kept until now. */
function offeredSeconds(attributes: SegmentAttributes, nowMs: number): number {
  const { type, timeShiftBufferDepth = Infinity, periodDuration, sourceDuration = 0 } = attributes;
  if (type !== 'dynamic') return periodDuration ?? sourceDuration;
  return Math.min(runningSeconds(attributes, nowMs), timeShiftBufferDepth);
}

function countLines(lines: readonly TimelineEntry[], attributes: SegmentAttributes, nowMs: number): number {
  const { sourceDuration = 0, timescale = 1 } = attributes;
  const endTicks = Math.max(sourceDuration, runningSeconds(attributes, nowMs)) * timescale;
  let [count, ticks] = [0, -1];
  for (const [index, { t = 0, d = 0, r = 0 }] of lines.entries()) {
    if (ticks < 0 || t > ticks) ticks = t;
    const times = r < 0 ? Math.max(1, Math.ceil(((lines[index + 1]?.t ?? endTicks) - ticks) / d)) : r + 1;
    count += times;
    ticks += times * d;
  }
  return count;
}
