import { setTimeout as delay } from 'node:timers/promises';
import { request, type Dispatcher } from 'undici';
import { redactUrl } from '../../contract/shown-url.ts';
import type { Logger } from 'pino';

/** A cancelled job frees its slot within five seconds; what takes longer goes on without it. */
const jobWaitsMs = 3_000;
/** About ten minutes: as long as a store may well be away. */
const retryDelaysMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, ...Array<number>(9).fill(60_000)];
const answerTimeoutMs = 10_000;

interface AbortDeps {
  dispatcher: Dispatcher;
  log: Logger;
}

/**
 * Has a store forget an upload in parts, which would else keep (and charge for) them for ever. Returns when that is done, or
 * after a few seconds: the tries go on.
 */
export async function abortUpload(abortUrl: string, deps: AbortDeps): Promise<void> {
  await Promise.race([tryUntilGone(abortUrl, deps), delay(jobWaitsMs, undefined, { ref: false })]);
}

async function tryUntilGone(abortUrl: string, { dispatcher, log }: AbortDeps): Promise<void> {
  const url = redactUrl(abortUrl);
  let problem = '';
  for (const retryDelayMs of [...retryDelaysMs, undefined]) {
    try {
      const answer = await request(abortUrl, {
        method: 'DELETE',
        dispatcher,
        headers: { 'user-agent': 'holdfast' },
        signal: AbortSignal.timeout(answerTimeoutMs),
      });
      await answer.body.dump();
      // 404: it is gone already.
      if (answer.statusCode < 300 || answer.statusCode === 404) return;
      problem = `HTTP ${answer.statusCode}`;
      if (answer.statusCode < 500 && answer.statusCode !== 429) break;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    if (retryDelayMs !== undefined) await delay(retryDelayMs, undefined, { ref: false });
  }
  log.warn({ url, problem }, 'An upload in parts could not be aborted; its parts may still be at the store');
}
