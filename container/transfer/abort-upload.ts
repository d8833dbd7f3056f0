import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { request, type Dispatcher } from 'undici';
import { redactUrl } from '../../contract/shown-url.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import { retry, retryDelaysMs } from '../../process/retry.ts';

/** Longest time that a job waits for an abort. A cancelled job frees its slot within five seconds. */
const jobWaitsMs = 3_000;
const answerTimeoutMs = 10_000;

interface AbortDeps {
  dispatcher: Dispatcher;
  log: Logger;
}

/**
 * Aborts a multipart upload, whose parts the store would otherwise keep and charge for. Returns when the upload is gone or
 * after a few seconds; the retries continue in the background.
 */
export async function abortUpload(abortUrl: string, deps: AbortDeps): Promise<void> {
  await Promise.race([retryUntilGone(abortUrl, deps), delay(jobWaitsMs, undefined, { ref: false })]);
}

/** An answer that a further request would get again. */
class AbortRefused extends Error {
  override readonly name = 'AbortRefused';
}

async function retryUntilGone(abortUrl: string, { dispatcher, log }: AbortDeps): Promise<void> {
  try {
    await retry(() => requestAbort(abortUrl, dispatcher), {
      delaysMs: retryDelaysMs.backgroundAbort,
      mayRetry: (error) => !(error instanceof AbortRefused),
      ref: false,
    });
  } catch (error) {
    const facts = { url: redactUrl(abortUrl), problem: messageOf(error) };
    log.warn(facts, 'An upload in parts could not be aborted; its parts may still be at the store');
  }
}

async function requestAbort(abortUrl: string, dispatcher: Dispatcher): Promise<void> {
  const { statusCode, body } = await request(abortUrl, {
    method: 'DELETE',
    dispatcher,
    headers: { 'user-agent': 'holdfast' },
    signal: AbortSignal.timeout(answerTimeoutMs),
  });
  await body.dump();
  // 404: the upload is gone already.
  if (statusCode < 300 || statusCode === 404) return;
  const isPassing = statusCode >= 500 || statusCode === 429;
  throw new (isPassing ? Error : AbortRefused)(`HTTP ${statusCode}`);
}
