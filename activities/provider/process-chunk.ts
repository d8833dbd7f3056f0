import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Context, type Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { contentTypeOfName } from '../../contract/formats.ts';
import {
  callEndSeconds,
  type ProviderCall,
  type ProviderCallResult,
  type ProviderFailure,
} from '../../contract/provider-call.ts';
import { providerFailed, unknownProvider } from '../../contract/workflow/failure.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import { finalFailure } from '../final-failure.ts';
import { confirmActivity } from '../confirm-activity.ts';
import { workerShutdownFailure } from '../container/failures.ts';
import { type ChunkAnswer, readAnswer } from './answer.ts';
import { CallFailed } from './call-failed.ts';
import { callProvider } from './provider-client.ts';
import { type KnownProvider, requireProvider, type Providers } from './providers.ts';
import type { WorkerShare } from './worker-share.ts';
import { WorkerShares } from './worker-shares.ts';
import type { Storage } from '../storage/storage.ts';
import { fileNameOf } from '../../stores/signed-http.ts';
import { StorageError } from '../../stores/store-error.ts';

export interface ProviderDependencies {
  providers: Providers;
  storage: Storage;
}

/** A fifth of the workflow's heartbeat timeout. */
const heartbeatIntervalMs = 3_000;

/** Makes one call for one chunk, stores the answer with the chunk and returns only its size. */
export function processChunkActivity({ providers, storage }: ProviderDependencies) {
  const shares = new WorkerShares();
  return async function processChunk(call: ProviderCall): Promise<ProviderCallResult> {
    const known = requireProvider(providers, call.provider);
    const context = Context.current();
    const { info, log } = context;
    const cancellation = cancellationExceptPause(context.cancellationSignal);
    const permitMs = leftOfPermit(call.permitMs, known.provider.timeoutSeconds, info);
    const limits = new CallLimits(known.provider.timeoutSeconds, permitMs, cancellation);
    // Providers report no progress, so heartbeats only show that the worker lives. The time limit ends a hanging call.
    const beats = setInterval(() => context.heartbeat(), heartbeatIntervalMs);
    let share: WorkerShare | undefined;
    try {
      if (call.runId !== undefined && call.runId !== info.workflowExecution?.runId) {
        // The run was reset: another worker may still make this call for the former run.
        await delay(callEndSeconds * 1000, undefined, { signal: limits.signal });
      }
      share = await shares.startCall(call, known.provider.limits, context);
      return await callAndStoreAnswer(call, known, storage, limits);
    } catch (error) {
      // Checked first, because an aborted request fails like a lost connection.
      if (cancellation.aborted) {
        const reason: unknown = cancellation.reason;
        throw reason instanceof Error && reason.message === 'WORKER_SHUTDOWN' ? workerShutdownFailure() : reason;
      }
      if (error instanceof ApplicationFailure) throw error;
      const { message, facts } = failureFacts(error, limits, known.provider.timeoutSeconds);
      log.info(`Chunk ${call.index} was not processed by ${call.provider}: ${message}`, {
        chunk: call.index,
        provider: call.provider,
        ...facts,
      });
      throw finalFailure(providerFailed, message, facts);
    } finally {
      share?.end();
      clearInterval(beats);
      limits.end();
    }
  };
}

/**
 * After a pause, Temporal starts the activity late, or once more, under its former permit. Throws if the permit is used
 * up or too short by then: the chunk needs another one.
 */
function leftOfPermit(permitMs: number | undefined, timeoutSeconds: number, info: Info): number | undefined {
  if (permitMs === undefined) return undefined;
  const lateMs = info.currentAttemptScheduledTimestampMs - info.scheduledTimestampMs;
  const called = info.attempt > 1;
  if (!called && (lateMs === 0 || permitMs - lateMs >= timeoutSeconds * 1000)) return permitMs - lateMs;
  const facts: ProviderFailure = { kind: 'permit_expired', called };
  throw finalFailure(providerFailed, 'The permit expired while the call was paused', facts);
}

/** A call that is paused would be paid again, so it continues to its end, as Temporal allows. */
function cancellationExceptPause(signal: AbortSignal): AbortSignal {
  const cancellation = new AbortController();
  const abort = (): void => {
    const reason: unknown = signal.reason;
    if (!(reason instanceof Error && reason.message === 'PAUSED')) cancellation.abort(reason);
  };
  // A signal that was aborted before emits no event.
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  return cancellation.signal;
}

/** OpenAI refuses shorter audio, and no word fits into it. A cut without an overlap may end with such a chunk. */
const leastCallSeconds = 0.1;

async function callAndStoreAnswer(
  call: ProviderCall,
  known: KnownProvider,
  storage: Storage,
  limits: CallLimits,
): Promise<ProviderCallResult> {
  const { kind } = known.provider;
  // A frozen worker must not repeat a call that another worker makes.
  await confirmActivity();
  // The target is presigned before the call costs money.
  const answerPlace = await storage.placeFor(call.answerUrl);
  const isTooShort = kind === 'openai-transcription' && call.duration < leastCallSeconds;
  const json = isTooShort ? { text: '', segments: [], voices: [] } : await ask(call, known, storage, limits);
  const answer = readAnswer(kind, call.provider, json, call.duration);
  if (answer === undefined) {
    throw new CallFailed('The provider did not answer with a transcription', { kind: 'unreadable' });
  }
  const stored: ChunkAnswer = {
    ...answer,
    ...(call.setId !== undefined && { setId: call.setId }),
    // Providers may report the spoken language.
    ...(call.translate === true && { language: 'en', translated: true }),
  };
  await storage.write(answerPlace, JSON.stringify(stored), 'application/json', limits.signal);
  return { segments: answer.segments.length, characters: answer.text.length };
}

/** Sends a chunk to its provider and returns the answer as JSON. */
async function ask(
  call: ProviderCall,
  { provider, secret }: KnownProvider,
  storage: Storage,
  limits: CallLimits,
): Promise<unknown> {
  const endpoint = call.translate === true ? provider.translationUrl : provider.url;
  // Another worker's PROVIDERS_FILE may have had this URL when the run began.
  if (endpoint === undefined) throw finalFailure(unknownProvider, `The provider ${call.provider} cannot translate`);
  const name = fileNameOf(call.url);
  const { size, content } = await storage.read(call.url, limits.signal);
  if (call.size !== undefined && size !== call.size) {
    await closeUnread(content);
    throw otherChunk(name);
  }
  const hash = createHash('sha256');
  let isRead = false;
  let readBytes = 0;
  let readError: unknown;
  async function* watched(): AsyncGenerator<Uint8Array> {
    isRead = true;
    try {
      for await (const part of content) {
        hash.update(part);
        readBytes += part.length;
        yield part;
      }
    } catch (error) {
      // A request whose body fails looks like a lost connection.
      readError = error;
      throw error;
    }
  }
  limits.startCall();
  const model = provider.model ?? call.provider.slice(call.provider.indexOf('/') + 1);
  let json: unknown;
  try {
    json = await callProvider(
      { ...call, endpoint, provider, secret, model },
      { name, contentType: contentTypeOfName(name), size, content: watched() },
      limits.signal,
    );
  } catch (error) {
    if (readError === undefined || limits.signal.aborted) throw error;
    throw new StorageError(`${name} could not be read completely`, true, { cause: readError });
  } finally {
    // A generator that has not begun ends without its loop, which would close the content.
    if (!isRead) await closeUnread(content);
  }
  limits.endCall();
  // A provider may answer before it has read the whole chunk.
  const isWhole = readBytes === size && call.sha256 !== undefined;
  if (isWhole && hash.digest('hex') !== call.sha256) throw otherChunk(name);
  return json;
}

/** A file or connection that is opened and never read stays open. */
async function closeUnread(content: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of content) break;
  } catch {
    // A content that fails is closed.
  }
}

/** Chunks of two runs must never share a transcript. */
function otherChunk(name: string): StorageError {
  return new StorageError(`${name} is not the chunk that this run has cut: another run may use the same prefix`, false);
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
        message: 'The permit expired before the answer arrived',
        facts: { kind: 'permit_expired', called: limits.called },
      };
    case undefined:
      if (error instanceof CallFailed) return { message: error.message, facts: error.facts };
      if (error instanceof StorageError) {
        return { message: error.message, facts: { kind: 'storage', passing: error.passing, called: limits.called } };
      }
      // Presigning failed, or there is a bug; only this chunk fails.
      return {
        message: messageOf(error),
        facts: { kind: 'storage', passing: false, called: limits.called },
      };
  }
}

/** Limits that end a call: its timeout, the end of its permit, or Temporal. */
class CallLimits {
  reached: 'timeout' | 'permit_expired' | undefined;
  /** Whether the provider may have received the request. */
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
