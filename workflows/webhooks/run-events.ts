import type { WebhookEvent, WebhookMessage } from '../../contract/workflow/webhook.ts';
import type { RunModel } from '../status/run-model.ts';
import { attemptOf } from '../status/run-model.ts';
import { leadingStep, type StepPlace, waitOf } from '../status/step-status.ts';

export interface RunEvent {
  type: WebhookEvent;
  data: Pick<WebhookMessage['data'], 'state' | 'attempt' | 'waiting' | 'error'>;
}

/**
 * Reasons of waits that were reported since a job has advanced; each is its own key. Older versions kept the reason of
 * the last reported wait of each step.
 */
export type ReportedWaits = ReadonlyMap<string, string>;

/**
 * Finds what changed in a run (pure): at most one event, and the updated record of reported waits. `byStep`: older
 * histories report the first waiting step.
 */
export function eventOf(
  model: RunModel,
  reported: ReportedWaits,
  byStep = false,
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
  const { stillReported, waiting } = (byStep ? findWaitOfStep : findWait)(model.places, reported);
  const wait = waiting && waitOf(waiting);
  if (waiting === undefined || wait === undefined) return { event: undefined, reported: stillReported };
  const { reason, until, seconds } = wait;
  return {
    event: {
      type: 'run.waiting',
      data: { state: 'waiting', attempt: waiting.attempt, waiting: { reason, until, seconds } },
    },
    reported: new Map([...stillReported, [byStep ? waiting.id : reason, reason]]),
  };
}

interface FoundWait {
  stillReported: ReportedWaits;
  waiting: StepPlace | undefined;
}

/** The leading step, if it waits for a new reason. It runs if any step runs. */
function findWait(places: readonly StepPlace[], reported: ReportedWaits): FoundWait {
  const leading = leadingStep(places);
  if (leading?.situation.kind === 'running') return { stillReported: new Map(), waiting: undefined };
  const isNew = leading?.situation.kind === 'waiting' && ![...reported.values()].includes(leading.situation.reason);
  return { stillReported: reported, waiting: isNew ? leading : undefined };
}

function findWaitOfStep(places: readonly StepPlace[], reported: ReportedWaits): FoundWait {
  const stillReported = new Map([...reported].filter(([id]) => !isRunning(places, id)));
  const waiting = places.find(
    ({ id, situation }) => situation.kind === 'waiting' && stillReported.get(id) !== situation.reason,
  );
  return { stillReported, waiting: leadingStep(places) === waiting ? waiting : undefined };
}

function endOf(shortfall: string | undefined): RunEvent {
  return shortfall === undefined
    ? { type: 'run.completed', data: { state: 'succeeded' } }
    : { type: 'run.failed', data: { state: 'failed', error: shortfall } };
}

function isRunning(places: readonly StepPlace[], id: string): boolean {
  return places.some((place) => place.id === id && place.situation.kind === 'running');
}
