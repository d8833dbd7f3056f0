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
import type { GateDetails, GateMail, GateNews, GateSettings, GateStats } from '../../contract/limiter.ts';
import { gateNewsSignal, gateQueries, gateSignals } from '../../contract/names.ts';
import { Alarm } from './alarm.ts';
import { isLimits, isThrottle } from './override.ts';
import { GateBook } from './rate-limiter.ts';
import { logGateEvent, logRefusedSignal } from './limiter-log.ts';
import { gateSummary } from './limiter-summary.ts';
import { type GateState, newGate } from './limiter-state.ts';
import { historyIsLong } from '../run/long-history.ts';

/** A short history is soon read again by a worker that takes over; about 300 permits. */
const maxEvents = 3_000;

/**
 * Keeps all runs on all workers inside one provider's limits. Never ends; `resumed` is only given by the gate itself.
 * It sleeps in signals and one timer, so it holds no slot of a worker.
 */
export async function gate(key: string, settings: GateSettings, resumed?: GateState): Promise<never> {
  const book = new GateBook(resumed ?? newGate(key, settings), permitPrefix(), (event) => logGateEvent(key, event));
  let hasNews = true;
  let underWay = 0;
  const wake = () => {
    hasNews = true;
  };
  const alarm = new Alarm(wake);

  setHandler(defineSignal<[GateMail]>(gateSignals.mail), (mail) => {
    book.receive(mail, Date.now());
    wake();
  });
  setHandler(defineSignal<[unknown]>(gateSignals.throttle), (signal) => {
    if (isThrottle(signal)) book.throttleByHand(signal.seconds, signal.reason, Date.now());
    else logRefusedSignal(key, gateSignals.throttle, signal);
    wake();
  });
  setHandler(defineSignal(gateSignals.resume), () => {
    book.resumeByHand();
    wake();
  });
  setHandler(defineSignal<[unknown]>(gateSignals.setLimits), (signal) => {
    if (isLimits(signal)) book.setLimits(signal);
    else logRefusedSignal(key, gateSignals.setLimits, signal);
    wake();
  });
  setHandler(defineQuery<GateStats>(gateQueries.stats), () => book.stats(queryTimeMs()));
  setHandler(defineQuery<GateDetails>(gateQueries.details), () => book.details(queryTimeMs()));

  const tell = async (news: GateNews) => {
    underWay += 1;
    try {
      await getExternalWorkflowHandle(news.to.workflowId).signal(gateNewsSignal, news);
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
    setCurrentDetails(gateSummary(key, book.stats(nowMs)));
    if (historyIsLong(maxEvents)) {
      // What is on its way may come back as a holder that is lost. Mail that comes in meanwhile is in the book.
      await condition(() => underWay === 0);
      await continueAsNew<typeof gate>(key, book.state().settings, book.state());
    }
    const wakeAtMs = book.wakeAtMs(nowMs);
    if (wakeAtMs !== undefined) alarm.ringBy(wakeAtMs);
    await condition(() => hasNews);
  }
}

/** Over all runs of a gate but not for one that was started anew: its permits must not bear the ids of the old one's. */
function permitPrefix(): string {
  return workflowInfo().firstExecutionRunId.slice(0, 8);
}

/** A query does not move the workflow's clock, and a gate may have slept for hours; the test server's skipping clock runs ahead of the real one. */
function queryTimeMs(): number {
  return Math.max(Date.now(), workflowInfo().unsafe.now());
}
