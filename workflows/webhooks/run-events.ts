import type { WebhookEvent, WebhookMessage } from '../../contract/workflow/webhook.ts';
import type { RunModel } from '../status/run-model.ts';
import { attemptOf } from '../status/run-model.ts';
import { leadingStep, type StepPlace, waitOf } from '../status/step-status.ts';

export interface RunEvent {
  type: WebhookEvent;
  data: Pick<WebhookMessage['data'], 'state' | 'attempt' | 'waiting' | 'error'>;
}

/** Reason of the last reported wait, by step. A step that runs in between reports its next wait again. */
export type ReportedWaits = ReadonlyMap<string, string>;

/** Finds what changed in a run (pure): at most one event, and the updated record of reported waits. */
export function eventOf(
  model: RunModel,
  reported: ReportedWaits,
): { event: RunEvent | undefined; reported: ReportedWaits } {
  const { stage } = model;
  if (stage.kind === 'done') return { event: endOf(stage.shortfall), reported };
  if (stage.kind === 'failed') {
    const { ending, message } = stage;
    const attempt = attemptOf(model);
    return ending === 'cancelled'
      ? { event: { type: 'run.cancelled', data: { state: 'cancelled' } }, reported }
      : { event: { type: 'run.failed', data: { state: 'failed', attempt, error: message } }, reported };
  }
  const stillReported = new Map([...reported].filter(([id]) => !isRunning(model.places, id)));
  const waiting = model.places.find(
    ({ id, situation }) => situation.kind === 'waiting' && stillReported.get(id) !== situation.reason,
  );
  const wait = waiting && waitOf(waiting);
  // Other steps may run while this one waits.
  if (waiting === undefined || wait === undefined || leadingStep(model.places) !== waiting) {
    return { event: undefined, reported: stillReported };
  }
  const { reason, until, seconds } = wait;
  return {
    event: {
      type: 'run.waiting',
      data: { state: 'waiting', attempt: waiting.attempt, waiting: { reason, until, seconds } },
    },
    reported: new Map([...stillReported, [waiting.id, reason]]),
  };
}

function endOf(shortfall: string | undefined): RunEvent {
  return shortfall === undefined
    ? { type: 'run.completed', data: { state: 'succeeded' } }
    : { type: 'run.failed', data: { state: 'failed', error: shortfall } };
}

function isRunning(places: readonly StepPlace[], id: string): boolean {
  return places.some((place) => place.id === id && place.situation.kind === 'running');
}
