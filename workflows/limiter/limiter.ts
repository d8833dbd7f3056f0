import {
  condition,
  makeContinueAsNewFunc,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type EarlierLimiter,
  type LimiterDetails,
  type LimiterMessage,
  type LimiterUpdate,
  type LimiterSettings,
  type LimiterStats,
  isLimitsOverride,
  isThrottleOverride,
  isWorkerSlots,
  limiterEnvironmentOf,
  limiterUpdateSignal,
  limiterQueries,
  limiterSignals,
} from '../../contract/limiter.ts';
import { callEndSeconds } from '../../contract/provider-call.ts';
import { limiterTaskQueue } from '../../contract/task-queues.ts';
import { Alarm } from './alarm.ts';
import { RateLimiter } from './rate-limiter.ts';
import { logLimiterEvent, logRefusedSignal } from './limiter-log.ts';
import { limiterSummary } from './limiter-summary.ts';
import { type LimiterState, newerSettings, newLimiter } from './limiter-state.ts';
import { packState, type PackedState, unpackState } from './packed-state.ts';
import { historyIsLong } from '../run/long-history.ts';

/** Events, about 300 permits. A short history lets another worker take over quickly. */
const maxEvents = 3_000;
/** The server allows a workflow 2,000 pending signals; beyond that, its workflow tasks fail. */
const maxUpdatesUnderWay = 500;

/**
 * Keeps all runs on all workers within the limits of one provider key. It never ends; only the limiter itself passes a
 * state as `before`. Between signals it waits on one timer and occupies no worker slot.
 */
export async function limiter(
  key: string,
  settings: LimiterSettings,
  before?: LimiterState | PackedState | EarlierLimiter,
): Promise<never> {
  const isResumed = before !== undefined && !('endedAtMs' in before);
  const rateLimiter = new RateLimiter(isResumed ? unpackState(before) : newLimiter(key, settings, before), {
    permitId: permitIds(),
    // Older histories counted unused permits and must replay that way.
    refundsUnused: patched('unused-permits-count-nowhere'),
    // Older versions granted the permits of an ended run at once, beside its calls.
    callEndMs: patched('calls-outlive-their-run') ? callEndSeconds * 1000 : 0,
    leaverCallEndMs: patched('calls-outlive-their-cancelled-run') ? callEndSeconds * 1000 : 0,
    chooseSettings: patched('older-settings-change-nothing') ? newerSettings : (_, next) => next,
    keepsLongerThrottle: patched('the-longest-suspension-applies'),
    onEvent: (event) => logLimiterEvent(key, event),
  });
  let hasChanged = true;
  let updatesUnderWay = 0;
  const wake = () => {
    hasChanged = true;
  };
  const alarm = new Alarm(wake);

  const handleChecked = <Signal>(
    name: string,
    isValid: (signal: unknown) => signal is Signal,
    act: (signal: Signal) => void,
  ): void =>
    setHandler(defineSignal<[unknown]>(name), (signal) => {
      if (isValid(signal)) act(signal);
      else logRefusedSignal(key, name, signal);
      wake();
    });

  setHandler(defineSignal<[LimiterMessage]>(limiterSignals.message), (message) => {
    rateLimiter.receive(message, Date.now());
    wake();
  });
  handleChecked(limiterSignals.throttle, isThrottleOverride, ({ seconds, reason }) =>
    rateLimiter.overrideThrottle(seconds, reason, Date.now()),
  );
  setHandler(defineSignal(limiterSignals.resume), () => {
    rateLimiter.overrideResume();
    wake();
  });
  handleChecked(limiterSignals.setLimits, isLimitsOverride, (limits) => rateLimiter.setLimits(limits));
  handleChecked(limiterSignals.slots, isWorkerSlots, (slots) => rateLimiter.receiveSlots(slots, Date.now()));
  setHandler(defineQuery<LimiterStats>(limiterQueries.stats), () => rateLimiter.stats(queryTimeMs()));
  setHandler(defineQuery<LimiterDetails>(limiterQueries.details), () => rateLimiter.details(queryTimeMs()));

  const sendUpdate = async (update: LimiterUpdate) => {
    updatesUnderWay += 1;
    try {
      await getExternalWorkflowHandle(update.to.workflowId).signal(limiterUpdateSignal, update);
    } catch (error) {
      if (isCancellation(error)) throw error;
      rateLimiter.dropLostHolder(update.to, Date.now());
      wake();
    } finally {
      updatesUnderWay -= 1;
      if (rateLimiter.hasUpdates) wake();
    }
  };

  for (;;) {
    hasChanged = false;
    const nowMs = Date.now();
    for (const update of rateLimiter.advance(nowMs, maxUpdatesUnderWay - updatesUnderWay))
      void sendUpdate(update).catch(() => undefined);
    setCurrentDetails(limiterSummary(key, rateLimiter.stats(nowMs)));
    if (historyIsLong(maxEvents)) {
      // A pending update may still reveal that its holder is lost. Messages that arrive meanwhile enter the state.
      await condition(() => updatesUnderWay === 0);
      const state = rateLimiter.state();
      await continueLimiter(key, state.settings, packState(state));
    }
    const wakeAtMs = rateLimiter.wakeAtMs(nowMs);
    if (wakeAtMs !== undefined) alarm.ringBy(wakeAtMs);
    await condition(() => hasChanged);
  }
}

/** Continues on the task queue of the environment. Older versions started limiters on another queue. */
async function continueLimiter(...args: Required<Parameters<typeof limiter>>): Promise<never> {
  const environment = limiterEnvironmentOf(workflowInfo().workflowId);
  const options = environment === undefined ? {} : { taskQueue: limiterTaskQueue(environment) };
  return await makeContinueAsNewFunc<typeof limiter>(options)(...args);
}

/**
 * Permit ids must never repeat: holders ignore the id of a permit that they have returned. The prefix is new when the
 * limiter is started again. The suffix is new after a reset, which repeats the numbers: Temporal then changes the seed of
 * random values. The current run's id would also change the ids of permits that were granted before the reset.
 */
function permitIds(): (number: number) => string {
  const prefix = workflowInfo().firstExecutionRunId.slice(0, 8);
  const hasSuffix = patched('permit-ids-are-new-after-a-reset');
  return (number) => `${prefix}-${number}${hasSuffix ? `-${uuid4().slice(0, 8)}` : ''}`;
}

/**
 * The workflow's clock stands still between its tasks, so queries use the real time. The clock of a test server may be ahead
 * of the real time.
 */
function queryTimeMs(): number {
  return Math.max(Date.now(), workflowInfo().unsafe.now());
}
