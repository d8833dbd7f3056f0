import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { describeFailure } from '../../client/failure.ts';
import { startInspection } from '../../client/inspect-source.ts';
import type { FailedAttempt } from '../../contract/activity.ts';
import { MetadataResult } from '../../contract/http/metadata.ts';
import { requesterMemo } from '../../contract/requester.ts';
import { redactUrlsIn } from '../../contract/shown-url.ts';
import { retryableFailureTypes } from '../../contract/workflow/failure.ts';
import type { InspectInput } from '../../contract/workflow/inspect.ts';
import type { Caller } from '../access/caller.ts';
import { Places } from '../access/places.ts';
import { ProblemError } from '../problem-error.ts';
import { withRequestDeadline } from '../request-deadline.ts';

/** Proxies and browsers give up on a request after about a minute. */
const waitMs = 55_000;
/** Each inspection is a workflow and keeps a connection open. */
const mostAtOnce = 64;

/** Inspects sources by workflows, because the server itself reaches no container. */
export class Inspector {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #places = new Places(mostAtOnce);

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  /** `gone` aborts when the caller disconnects. */
  async inspect(input: InspectInput, caller: Caller, gone: AbortSignal): Promise<MetadataResult> {
    const release = this.#places.take(caller, 'sources are being inspected');
    try {
      return await this.#inspect(input, caller, gone);
    } finally {
      release();
    }
  }

  async #inspect(input: InspectInput, { owner }: Caller, gone: AbortSignal): Promise<MetadataResult> {
    const wanted = { taskQueue: this.#taskQueue, input, memo: requesterMemo(owner), limitMs: waitMs };
    const handle = await withRequestDeadline(this.#client, () => startInspection(this.#client, wanted));
    try {
      const signal = AbortSignal.any([gone, AbortSignal.timeout(waitMs)]);
      // The SDK ignores a signal that has aborted before the request.
      signal.throwIfAborted();
      return MetadataResult.parse(await this.#client.withAbortSignal(signal, () => handle.result()));
    } catch (error) {
      if (error instanceof WorkflowFailedError) throw problemOf(error, owner === undefined);
      await withRequestDeadline(this.#client, () => handle.cancel()).catch(() => undefined);
      throw error instanceof Error && isAbort(error) ? tooLong() : error;
    }
  }
}

/** True for the errors of SDK requests that a signal has ended. */
function isAbort({ name, message }: Error): boolean {
  return /abort|cancel/i.test(name) || /abort|cancel/i.test(message);
}

function tooLong(): ProblemError {
  return new ProblemError(
    'inspect_timeout',
    `No container inspected the source within ${waitMs / 1000} s. The source may be large, its server slow, or no worker or container available.`,
  );
}

function problemOf(error: WorkflowFailedError, namesContainer: boolean): ProblemError {
  const cause = error.cause instanceof ActivityFailure ? error.cause.cause : error.cause;
  if (!(cause instanceof ApplicationFailure)) return tooLong();
  const message = redactUrlsIn(describeFailure(error, namesContainer));
  const { code } = (cause.details?.[0] ?? {}) as Partial<FailedAttempt>;
  const isOfSource = code?.startsWith('source_') === true || code === 'timeout';
  const isAway = !isOfSource && Object.values<string>(retryableFailureTypes).includes(cause.type ?? '');
  return new ProblemError(isAway ? 'containers_unavailable' : 'source_unusable', message);
}
