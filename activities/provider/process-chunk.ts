import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { contentTypeOfName } from '../../contract/formats.ts';
import type { ProviderCall, ProviderCallResult, ProviderFailure } from '../../contract/provider-call.ts';
import { providerFailed } from '../../contract/workflow/failure.ts';
import { confirmActivity } from '../confirm-activity.ts';
import { workerShutdownFailure } from '../container/failures.ts';
import { readAnswer } from './answer.ts';
import { CallFailed } from './call-failed.ts';
import { callProvider } from './provider-client.ts';
import { type KnownProvider, requireProvider, type Providers } from './providers.ts';
import type { WorkerShare } from './worker-share.ts';
import { WorkerShares } from './worker-shares.ts';
import type { Stored } from '../../stores/store.ts';
import type { Storage } from '../storage/storage.ts';
import { StorageError } from '../../stores/store-error.ts';

export interface ProviderDependencies {
  providers: Providers;
  storage: Storage;
}

/** A fifth of the heartbeat timeout that the workflow gives. */
const heartbeatIntervalMs = 3_000;

/** One call for one chunk. The provider's answer is written beside the chunk; only its size is returned. */
export function processChunkActivity({ providers, storage }: ProviderDependencies) {
  const shares = new WorkerShares();
  return async function processChunk(call: ProviderCall): Promise<ProviderCallResult> {
    const known = requireProvider(providers, call.provider);
    const context = Context.current();
    const { cancellationSignal, log } = context;
    const limits = new CallLimits(known.provider.timeoutSeconds, call.permitMs, cancellationSignal);
    // A provider reports no progress, so the heartbeats only show that this worker lives. A call that hangs ends at its time limit.
    const beats = setInterval(() => context.heartbeat(), heartbeatIntervalMs);
    let share: WorkerShare | undefined;
    try {
      share = await shares.startCall(call, known.provider.limits, context);
      return await callAndStoreAnswer(call, known, storage, limits);
    } catch (error) {
      // Checked first: a request that the abort broke off looks like a lost connection.
      if (cancellationSignal.aborted) {
        const reason: unknown = cancellationSignal.reason;
        throw reason instanceof Error && reason.message === 'WORKER_SHUTDOWN' ? workerShutdownFailure() : reason;
      }
      if (error instanceof ApplicationFailure) throw error;
      const { message, facts } = failureFacts(error, limits, known.provider.timeoutSeconds);
      log.info(`Chunk ${call.index} was not processed by ${call.provider}: ${message}`, {
        chunk: call.index,
        provider: call.provider,
        ...facts,
      });
      throw ApplicationFailure.create({
        type: providerFailed,
        message,
        nonRetryable: true,
        // The workflow decides what to do about it; it is not a fault of the worker.
        category: 'BENIGN',
        details: [facts],
      });
    } finally {
      share?.end();
      clearInterval(beats);
      limits.end();
    }
  };
}

async function callAndStoreAnswer(
  call: ProviderCall,
  { provider, secret }: KnownProvider,
  storage: Storage,
  limits: CallLimits,
): Promise<ProviderCallResult> {
  // Else a worker that was frozen meanwhile would make a call that the chunk has had, or will have, of another worker.
  await confirmActivity();
  // Signed before the call is paid for.
  const answerPlace = await storage.placeFor(call.answerUrl);
  const audio = new WatchedStream(await storage.read(call.url, limits.signal));
  limits.startCall();
  const name = call.url.slice(call.url.lastIndexOf('/') + 1);
  const model = provider.model ?? call.provider.slice(call.provider.indexOf('/') + 1);
  let json: unknown;
  try {
    json = await callProvider(
      { provider, secret, model },
      { name, contentType: contentTypeOfName(name), size: audio.size, content: audio.content() },
      limits.signal,
    );
  } catch (error) {
    if (audio.error === undefined || limits.signal.aborted) throw error;
    throw new StorageError(`${name} could not be read to its end`, true, { cause: audio.error });
  }
  limits.endCall();
  const answer = readAnswer(provider.kind, call.provider, json, call.duration);
  if (answer === undefined) {
    throw new CallFailed('The provider answered something that is no transcription', { kind: 'unreadable' });
  }
  await storage.write(answerPlace, JSON.stringify({ ...answer, setId: call.setId }), 'application/json', limits.signal);
  return { segments: answer.segments.length, characters: answer.text.length };
}

function failureFacts(
  error: unknown,
  limits: CallLimits,
  timeoutSeconds: number,
): { message: string; facts: ProviderFailure } {
  switch (limits.reached) {
    case 'timeout':
      return { message: `No answer within ${timeoutSeconds} s`, facts: { kind: 'timeout' } };
    case 'permit_expired':
      return {
        message: 'The permit ran out before the answer came',
        facts: { kind: 'permit_expired', called: limits.called },
      };
    case undefined:
      if (error instanceof CallFailed) return { message: error.message, facts: error.facts };
      if (error instanceof StorageError) {
        return { message: error.message, facts: { kind: 'storage', passing: error.passing, called: limits.called } };
      }
      // Presigning failed, or a bug: this chunk fails, and no other.
      return {
        message: error instanceof Error ? error.message : String(error),
        facts: { kind: 'storage', passing: false, called: limits.called },
      };
  }
}

/** What may end a call from our side: its time limit, the end of its permit, or Temporal. */
class CallLimits {
  /** Which of the first two ended it. */
  reached: 'timeout' | 'permit_expired' | undefined;
  /** The provider may have got the request. */
  called = false;
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  readonly #timeoutMs: number;
  readonly #permitTimer: NodeJS.Timeout | undefined;
  #callTimer: NodeJS.Timeout | undefined;

  constructor(timeoutSeconds: number, permitMs: number | undefined, cancellation: AbortSignal) {
    this.#timeoutMs = timeoutSeconds * 1000;
    this.signal = AbortSignal.any([cancellation, this.#own.signal]);
    if (permitMs === undefined) return;
    this.#permitTimer = setTimeout(() => this.#reach('permit_expired'), permitMs);
  }

  startCall(): void {
    this.called = true;
    this.#callTimer = setTimeout(() => this.#reach('timeout'), this.#timeoutMs);
  }

  endCall(): void {
    clearTimeout(this.#callTimer);
  }

  end(): void {
    this.endCall();
    clearTimeout(this.#permitTimer);
  }

  #reach(limit: 'timeout' | 'permit_expired'): void {
    this.reached ??= limit;
    this.#own.abort();
  }
}

/** Remembers the error of its source: a request whose body breaks off fails like one whose connection broke. */
class WatchedStream {
  readonly size: number;
  error: unknown;
  readonly #source: Stored;

  constructor(source: Stored) {
    this.#source = source;
    this.size = source.size;
  }

  async *content(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#source.content;
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}
