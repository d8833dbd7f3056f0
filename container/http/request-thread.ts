import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { ServiceError } from '../errors.ts';
import type { CheckedRequest, RequestName } from './check-request.ts';
import type { ThreadAnswer, ThreadQuestion } from './check-thread.ts';

/** The thread ends after this time without a request, and its memory goes back to the system. */
const idleMs = 1_000;

/** The largest valid request takes a second. */
const checkTimeoutMs = 30_000;

/** Checks large requests, one at a time, beside the event loop. */
export class RequestThread {
  readonly #queue = new PQueue({ concurrency: 1 });
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** Transfers `bytes` to the thread; the caller can no longer read them. */
  async check<Name extends RequestName>(name: Name, bytes: Uint8Array<ArrayBuffer>): Promise<CheckedRequest<Name>> {
    const answer = await this.#queue.add(async () => await this.#ask({ name, bytes }));
    if ('checked' in answer) return answer.checked;
    const { code, message, details } = answer.refused;
    throw new ServiceError(code, message, details === undefined ? {} : { details });
  }

  async #ask(question: ThreadQuestion): Promise<ThreadAnswer> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= start());
    try {
      const answered = once(worker, 'message', { signal: AbortSignal.timeout(checkTimeoutMs) });
      worker.postMessage(question, [question.bytes.buffer]);
      const [answer] = (await answered) as [ThreadAnswer];
      this.#idle = setTimeout(() => this.#end(), idleMs).unref();
      return answer;
    } catch (error) {
      this.#end();
      throw new ServiceError('request_too_large', 'Checking the request takes too long.', { cause: error });
    }
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

function start(): Worker {
  const worker = new Worker(new URL('check-thread.ts', import.meta.url));
  worker.unref();
  return worker;
}
