import type { RunView } from '../../contract/server/run.ts';
import { progressTexts } from '../progress-texts.ts';
import { formatSpan, formatTime } from './format.ts';

export function phaseWords(phase: string | undefined): string {
  return phase === undefined ? '' : (progressTexts.phases[phase] ?? phase);
}

/** Place in the queue and expected start. */
export function placeWords({ queue }: Pick<RunView, 'queue'>, nowMs: number): string[] {
  if (queue === undefined) return [];
  const { position, expectedStartAt } = queue;
  const left = expectedStartAt === undefined ? undefined : (Date.parse(expectedStartAt) - nowMs) / 1000;
  return [
    progressTexts.queue.place(position),
    ...(left !== undefined && left >= 1 ? [progressTexts.queue.start(formatSpan(Math.ceil(left)))] : []),
  ];
}

/** Reason and end of a wait. */
export function waitWords({ waiting }: Pick<RunView, 'waiting'>, nowMs: number): string {
  if (waiting === undefined) return progressTexts.waits.unknown;
  const reason = progressTexts.waits[waiting.unreached ?? waiting.reason ?? 'unknown'];
  const leftSeconds = (Date.parse(waiting.until) - nowMs) / 1000;
  const until =
    leftSeconds < 1
      ? progressTexts.waits.now
      : progressTexts.waits.until(formatTime(waiting.until), formatSpan(Math.ceil(leftSeconds)));
  return `${reason}, ${until}`;
}
