import type { RunDetails } from '../../contract/server/run.ts';
import { phaseWords } from './progress-words.ts';
import { laterTexts } from '../later-texts.ts';
import { progressTexts } from '../progress-texts.ts';

/** One coloured bar of a step's lane. */
export interface TimelinePart {
  /** `queued`, `wait`, `attempt`, `failed` or a phase. */
  kind: string;
  words: string;
  fromMs: number;
  toMs: number;
  isOpen: boolean;
}

export interface TimelineLane {
  step: string;
  parts: TimelinePart[];
}

export interface TimelineShape {
  fromMs: number;
  toMs: number;
  lanes: TimelineLane[];
}

/** One lane for each step. Open parts end now, open waits at their planned end. */
export function shapeTimeline(
  run: Pick<RunDetails, 'startedAt' | 'endedAt' | 'timeline'>,
  nowMs: number,
): TimelineShape {
  const fromMs = Date.parse(run.startedAt);
  // The browser's clock may be behind the server's.
  const begun = run.timeline.map(({ from, to }) => Date.parse(to ?? from));
  const endMs = run.endedAt === undefined ? Math.max(nowMs, fromMs, ...begun) : Date.parse(run.endedAt);
  const lanes = new Map<string, TimelinePart[]>();
  for (const entry of run.timeline) {
    const until = entry.kind === 'wait' && entry.to === undefined ? Math.max(endMs, Date.parse(entry.until)) : endMs;
    const toMs = entry.to === undefined ? until : Date.parse(entry.to);
    const part = { ...lookOf(entry), fromMs: Date.parse(entry.from), toMs, isOpen: entry.to === undefined };
    const step = 'step' in entry && entry.step !== undefined ? entry.step : 'process';
    lanes.set(step, [...(lanes.get(step) ?? []), part]);
  }
  const ends = [...lanes.values()].flat().map((part) => part.toMs);
  return {
    fromMs,
    toMs: Math.max(endMs, ...ends, fromMs + 1),
    lanes: [...lanes].map(([step, parts]) => ({ step, parts })),
  };
}

function lookOf(entry: RunDetails['timeline'][number]): Pick<TimelinePart, 'kind' | 'words'> {
  switch (entry.kind) {
    case 'queued':
      return { kind: 'queued', words: laterTexts.timeline.queued };
    case 'wait':
      return { kind: 'wait', words: progressTexts.waits[entry.unreached ?? entry.reason] };
    case 'phase':
      return { kind: entry.phase, words: phaseWords(entry.phase) };
    case 'attempt':
      return entry.outcome === 'failed'
        ? { kind: 'failed', words: laterTexts.timeline.failed(entry.attempt) }
        : { kind: 'attempt', words: laterTexts.timeline.attempt };
  }
}

/** Legend: each kind with its count and total seconds. */
export function sumParts(
  lanes: readonly TimelineLane[],
): { kind: string; words: string; count: number; seconds: number }[] {
  const all = lanes.flatMap(({ parts }) => parts);
  const byWords = Map.groupBy(all, ({ kind, words }) => `${kind} ${kind === 'failed' ? '' : words}`);
  return [...byWords.values()].flatMap((parts) => {
    const [first] = parts;
    if (first === undefined) return [];
    const seconds = parts.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs) / 1000, 0);
    const words = first.kind === 'failed' ? laterTexts.timeline.failedAttempts : first.words;
    return [{ kind: first.kind, words, count: parts.length, seconds }];
  });
}
