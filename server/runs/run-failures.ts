import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';
import PQueue from 'p-queue';
import { decodePayload } from '../../client/decode-payload.ts';
import { describeEncrypted } from '../../client/encrypted.ts';
import { RunCache } from '../../client/run-cache.ts';
import type { RunRecord } from '../../client/run-record.ts';
import { stateOfRun } from '../../client/run-state.ts';
import { readShortfall } from '../../client/shortfall.ts';
import { isDeleted } from '../../client/unreadable.ts';
import { redactUrlsIn } from '../../contract/shown-url.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import { chunksFailed, withoutContainerAddress } from '../../contract/workflow/failure.ts';

export interface RunFailure {
  type: string;
  message: string;
}

const requestsAtOnce = 8;
/** Limit of cached failures. */
const mostKept = 20_000;

const closeEvent = proto.temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;

type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** Why runs failed. */
export class RunFailures {
  readonly #client: Client;
  readonly #requests = new PQueue({ concurrency: requestsAtOnce });
  readonly #known = new RunCache<RunFailure>(mostKept);

  constructor(client: Client) {
    this.#client = client;
  }

  async of(run: RunRecord): Promise<RunFailure> {
    return await this.#known.get(
      run.runId,
      async () => await this.#requests.add(async () => await this.#read(run).catch(failureOfDeleted)),
    );
  }

  /** Failures of the failed ones among the runs, by run id. Waits at most `mostMs`; later answers are cached. */
  async within(runs: readonly RunRecord[], mostMs: number): Promise<Map<string, RunFailure>> {
    const found = new Map<string, RunFailure>();
    const reading = runs
      .filter((run) => run.ending !== undefined && stateOfRun(run, undefined) === 'failed')
      .map(async (run) => {
        // The list is useful without reasons.
        const failure = await this.of(run).catch(() => undefined);
        if (failure !== undefined) found.set(run.runId, failure);
      });
    if (reading.length > 0) await Promise.race([Promise.all(reading), delay(mostMs, undefined, { ref: false })]);
    return found;
  }

  async #read({ workflowId, runId }: RunRecord): Promise<RunFailure> {
    const { history } = await this.#client.workflowService.getWorkflowExecutionHistory({
      namespace: this.#client.options.namespace,
      execution: { workflowId, runId },
      historyEventFilterType: closeEvent,
    });
    const end = history?.events?.at(-1);
    const terminated = end?.workflowExecutionTerminatedEventAttributes;
    if (terminated) {
      const reason = redactUrlsIn(terminated.reason ?? '');
      return { type: 'Terminated', message: `The run was terminated in Temporal: ${reason}` };
    }
    if (end?.workflowExecutionTimedOutEventAttributes) {
      return { type: 'TimedOut', message: 'The run exceeded its Temporal timeout.' };
    }
    const completed = end?.workflowExecutionCompletedEventAttributes;
    if (completed) return await this.#shortfallIn(completed.result?.payloads?.[0]);
    const failure = typedFailure(end?.workflowExecutionFailedEventAttributes?.failure);
    return {
      type: failure?.applicationFailureInfo?.type || 'Unknown',
      message: redactUrlsIn(withoutContainerAddress(await this.#messageOf(failure))),
    };
  }

  /** The run completed with a result in which chunks have failed. */
  async #shortfallIn(result: Payload | undefined): Promise<RunFailure> {
    try {
      const shortfall = readShortfall(await decodePayload(this.#client, result));
      return shortfall ?? { type: chunksFailed, message: 'Some chunks failed.' };
    } catch (error) {
      return { type: chunksFailed, message: encryptedSentence(error) };
    }
  }

  /** The failure's message is in `encodedAttributes` if payloads are encrypted. */
  async #messageOf(failure: Failure): Promise<string> {
    try {
      const encoded = await decodePayload(this.#client, failure?.encodedAttributes);
      if (isRecord(encoded) && typeof encoded['message'] === 'string') return encoded['message'];
      return failure?.message ?? '';
    } catch (error) {
      return encryptedSentence(error);
    }
  }
}

/** The list may still have a run whose history Temporal has deleted. */
function failureOfDeleted(error: unknown): RunFailure {
  if (!isDeleted(error)) throw error;
  return { type: 'Unknown', message: 'Temporal has deleted the history of the run.' };
}

function encryptedSentence(error: unknown): string {
  const sentence = describeEncrypted(error);
  if (sentence === undefined) throw error;
  return sentence;
}

/** The outermost failure that has a type. */
function typedFailure(failure: Failure): Failure {
  return !failure || failure.applicationFailureInfo?.type ? failure : (typedFailure(failure.cause) ?? failure);
}
