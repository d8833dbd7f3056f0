import type { RunView } from '../../contract/server/run.ts';
import { formatSpan, formatTime, nameOfSource } from './format.ts';
import { texts } from '../texts.ts';

type Words = Pick<RunView, 'id' | 'source' | 'phase' | 'state' | 'waiting'>;

export function nameOfRun({ id, source }: Pick<Words, 'id' | 'source'>): string {
  return source === undefined ? id : nameOfSource(source);
}

export function isActive({ state }: Pick<Words, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'waiting';
}

export function phaseWords(phase: string | undefined): string {
  return phase === undefined ? '' : (texts.phases[phase] ?? phase);
}

/** Place in the queue and expected start. */
export function placeWords({ queue }: Pick<RunView, 'queue'>, nowMs: number): string[] {
  if (queue === undefined) return [];
  const { position, expectedStartAt } = queue;
  const left = expectedStartAt === undefined ? undefined : (Date.parse(expectedStartAt) - nowMs) / 1000;
  return [
    texts.queue.place(position),
    ...(left !== undefined && left >= 1 ? [texts.queue.start(formatSpan(Math.ceil(left)))] : []),
  ];
}

/** Reason and end of a wait. */
export function waitWords({ waiting }: Words, nowMs: number): string {
  if (waiting === undefined) return texts.waits.unknown;
  const reason = texts.waits[waiting.unreached ?? waiting.reason ?? 'unknown'];
  const leftSeconds = (Date.parse(waiting.until) - nowMs) / 1000;
  const until =
    leftSeconds < 1
      ? texts.waits.now
      : texts.waits.until(formatTime(waiting.until), formatSpan(Math.ceil(leftSeconds)));
  return `${reason}, ${until}`;
}
