import type { WebhookEvent, WebhookMessage } from '../../contract/workflow/webhook.ts';
import type { RunModel } from '../status/run-model.ts';
import { attemptOf } from '../status/run-model.ts';
import { leadingStep, type StepPlace, waitOf } from '../status/step-status.ts';

/** What a message tells of a moment of a run. */
export interface ToldEvent {
  type: WebhookEvent;
  data: Pick<WebhookMessage['data'], 'state' | 'attempt' | 'waiting' | 'error'>;
}

/** The waits that were told of, by step: where a job advances in between, the next wait is told of again. */
export type ToldWaits = ReadonlyMap<string, string>;

/** What is new in a run (pure): at most one event, and which waits have been told of with it. */
export function eventOf(model: RunModel, told: ToldWaits): { event: ToldEvent | undefined; told: ToldWaits } {
  const { stage } = model;
  if (stage.kind === 'done') return { event: endOf(stage.shortfall), told };
  if (stage.kind === 'failed') {
    const { ending, message } = stage;
    const attempt = attemptOf(model);
    return ending === 'cancelled'
      ? { event: { type: 'run.cancelled', data: { state: 'cancelled' } }, told }
      : { event: { type: 'run.failed', data: { state: 'failed', attempt, error: message } }, told };
  }
  const stillTold = new Map([...told].filter(([id]) => !isRunning(model.places, id)));
  const waiting = model.places.find(
    ({ id, situation }) => situation.kind === 'waiting' && stillTold.get(id) !== situation.reason,
  );
  const wait = waiting && waitOf(waiting);
  // Of steps side by side one may wait while another works.
  if (waiting === undefined || wait === undefined || leadingStep(model.places) !== waiting) {
    return { event: undefined, told: stillTold };
  }
  const { reason, until, seconds } = wait;
  return {
    event: {
      type: 'run.waiting',
      data: { state: 'waiting', attempt: waiting.attempt, waiting: { reason, until, seconds } },
    },
    told: new Map([...stillTold, [waiting.id, reason]]),
  };
}

function endOf(shortfall: string | undefined): ToldEvent {
  return shortfall === undefined
    ? { type: 'run.completed', data: { state: 'succeeded' } }
    : { type: 'run.failed', data: { state: 'failed', error: shortfall } };
}

function isRunning(places: readonly StepPlace[], id: string): boolean {
  return places.some((place) => place.id === id && place.situation.kind === 'running');
}
