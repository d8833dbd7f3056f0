import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type LimiterDetails,
  type LimiterMessage,
  type LimiterUpdate,
  type LimiterSettings,
  type LimiterStats,
  isLimitsOverride,
  isThrottleOverride,
  limiterUpdateSignal,
  limiterQueries,
  limiterSignals,
} from '../../contract/limiter.ts';
import { Alarm } from './alarm.ts';
import { RateLimiter } from './rate-limiter.ts';
import { logLimiterEvent, logRefusedSignal } from './limiter-log.ts';
import { limiterSummary } from './limiter-summary.ts';
import { type LimiterState, newLimiter } from './limiter-state.ts';
import { historyIsLong } from '../run/long-history.ts';

/** A short history is soon read again by a worker that takes over; about 300 permits. */
const maxEvents = 3_000;

/**
 * Keeps all runs on all workers inside one provider's limits. Never ends; `resumed` is only given by the limiter itself.
 * It sleeps in signals and one timer, so it holds no slot of a worker.
 */
export async function limiter(key: string, settings: LimiterSettings, resumed?: LimiterState): Promise<never> {
  const book = new RateLimiter(resumed ?? newLimiter(key, settings), permitPrefix(), (event) =>
    logLimiterEvent(key, event),
  );
  let hasNews = true;
  let underWay = 0;
  const wake = () => {
    hasNews = true;
  };
  const alarm = new Alarm(wake);

  setHandler(defineSignal<[LimiterMessage]>(limiterSignals.message), (mail) => {
    book.receive(mail, Date.now());
    wake();
  });
  setHandler(defineSignal<[unknown]>(limiterSignals.throttle), (signal) => {
    if (isThrottleOverride(signal)) book.overrideThrottle(signal.seconds, signal.reason, Date.now());
    else logRefusedSignal(key, limiterSignals.throttle, signal);
    wake();
  });
  setHandler(defineSignal(limiterSignals.resume), () => {
    book.overrideResume();
    wake();
  });
  setHandler(defineSignal<[unknown]>(limiterSignals.setLimits), (signal) => {
    if (isLimitsOverride(signal)) book.setLimits(signal);
    else logRefusedSignal(key, limiterSignals.setLimits, signal);
    wake();
  });
  setHandler(defineQuery<LimiterStats>(limiterQueries.stats), () => book.stats(queryTimeMs()));
  setHandler(defineQuery<LimiterDetails>(limiterQueries.details), () => book.details(queryTimeMs()));

  const tell = async (news: LimiterUpdate) => {
    underWay += 1;
    try {
      await getExternalWorkflowHandle(news.to.workflowId).signal(limiterUpdateSignal, news);
    } catch (error) {
      if (isCancellation(error)) throw error;
      book.lost(news.to, Date.now());
      wake();
    } finally {
      underWay -= 1;
    }
  };

  for (;;) {
    hasNews = false;
    const nowMs = Date.now();
    for (const news of book.advance(nowMs)) void tell(news).catch(() => undefined);
    setCurrentDetails(limiterSummary(key, book.stats(nowMs)));
    if (historyIsLong(maxEvents)) {
      // What is on its way may come back as a holder that is lost. Mail that comes in meanwhile is in the book.
      await condition(() => underWay === 0);
      await continueAsNew<typeof limiter>(key, book.state().settings, book.state());
    }
    const wakeAtMs = book.wakeAtMs(nowMs);
    if (wakeAtMs !== undefined) alarm.ringBy(wakeAtMs);
    await condition(() => hasNews);
  }
}

/** Over all runs of a limiter but not for one that was started anew: its permits must not bear the ids of the old one's. */
function permitPrefix(): string {
  return workflowInfo().firstExecutionRunId.slice(0, 8);
}

/** A query does not move the workflow's clock, and a limiter may have slept for hours; the test server's skipping clock runs ahead of the real one. */
function queryTimeMs(): number {
  return Math.max(Date.now(), workflowInfo().unsafe.now());
}
