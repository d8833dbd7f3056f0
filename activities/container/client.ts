import { Agent, type Dispatcher, request } from 'undici';
import { hostname } from 'node:os';
import type { ContainerPlace, JobLocation } from '../../contract/activity.ts';
import { AcceptedBody, type JobKind, type JobResult, jobResults } from '../../contract/http/job.ts';
import { type SourceIdentity, type SourceRequest, SourceResult } from '../../contract/http/source.ts';
import type { FileUrls } from '../../contract/http/upload-urls.ts';
import { instanceHeader, leaseHeader, type SlotQuery, SlotView } from '../../contract/http/slot.ts';
import { traceHeaders } from '../../tracing/propagate.ts';
import { ConnectionLost, ContainerAnswer, OtherInstance, OtherMachine } from './errors.ts';
import { readEventData } from './event-stream.ts';
import { FollowedJob } from './followed-job.ts';
import { expectContainer, headerOf, parseAnswer, parseJson, readRefusal } from './read-answer.ts';

/** A machine that is up accepts a connection at once. */
const connectTimeoutMs = 5_000;
/** Every answer is made from memory, since jobs run apart from their requests. Well under the heartbeat timeout. */
const answerTimeoutMs = 10_000;
/** Whether a container is there at all is known sooner. */
const slotTimeoutMs = 3_000;
/** A container holds a request for its slot for 10 s. */
const heldSlotTimeoutMs = 15_000;
/** The container sends a comment every 10 s: three of them missing means that the stream is dead. */
const streamIdleTimeoutMs = 30_000;
/** Its server may think about a file for a while, and other sources may be looked at before. */
const sourceTimeoutMs = 120_000;

/** What the container answers for a job: it runs, or it has succeeded already. */
export type JobAnswer =
  { kind: 'accepted'; jobId: string; instanceId: string | undefined } | { kind: 'finished'; result: JobResult };

interface Submit {
  kind: JobKind;
  body: unknown;
  idempotencyKey: string;
  lease: string | undefined;
}

/** A job, and the process that it is asked of. */
type KnownJob = Pick<JobLocation, 'jobId' | 'instanceId'>;

/** Throws `OtherMachine` where the place is another machine's own. */
export type ContainerClients = (place: ContainerPlace) => ContainerClient;

/** As a `ContainerPlace` names it; of a container without a name of its own it is its id. */
export const thisMachine = hostname();

/** One client for each container, with its connections kept open between requests. */
export function containerClients(token: string | undefined, ownMachine = thisMachine): ContainerClients {
  const clients = new Map<string, ContainerClient>();
  return (place) => {
    const { containerUrl, machine } = place;
    if (machine !== undefined && machine !== ownMachine) throw new OtherMachine(place);
    const client = clients.get(containerUrl) ?? new ContainerClient(containerUrl, token);
    clients.set(containerUrl, client);
    return client;
  };
}

/** The container's HTTP API. Every answer is parsed; what is no success is thrown as `ContainerAnswer`, what is no container's as `ConnectionLost`. */
export class ContainerClient {
  readonly url: string;
  readonly #headers: Record<string, string>;
  readonly #agent: Agent;

  constructor(url: string, token: string | undefined) {
    this.url = url.replace(/\/+$/, '');
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#agent = new Agent({ connect: { timeout: connectTimeoutMs }, allowH2: false });
  }

  async submit({ kind, body, idempotencyKey, lease }: Submit, signal: AbortSignal): Promise<JobAnswer> {
    const answer = await this.#request('POST', `/${kind}`, {
      body,
      signal,
      headers: {
        prefer: 'respond-async',
        'idempotency-key': idempotencyKey,
        ...(lease !== undefined && { [leaseHeader]: lease }),
      },
    });
    if (answer.statusCode === 202) {
      const { jobId } = await parseAnswer(answer, AcceptedBody, this.url);
      return { kind: 'accepted', jobId, instanceId: headerOf(answer, instanceHeader.toLowerCase()) };
    }
    return { kind: 'finished', result: await parseAnswer<JobResult>(answer, jobResults[kind], this.url) };
  }

  /** By what the source is known again; nothing of a container that cannot tell. */
  async source(body: SourceRequest, signal: AbortSignal): Promise<SourceIdentity> {
    try {
      const answer = await this.#request('POST', '/source', { body, signal, timeoutMs: sourceTimeoutMs });
      return await parseAnswer(answer, SourceResult, this.url);
    } catch (error) {
      if (error instanceof ContainerAnswer && error.facts.code === 'not_found') return {};
      throw error;
    }
  }

  /** How a lease of the slot stands; the answer comes when it is otherwise than `known`, or after some seconds. */
  async slot({ lease, line, known }: SlotQuery, signal: AbortSignal): Promise<SlotView> {
    const query = new URLSearchParams({
      lease,
      ...(line !== undefined && { line }),
      ...(known !== undefined && { known }),
    });
    const timeoutMs = known === undefined ? slotTimeoutMs : heldSlotTimeoutMs;
    const answer = await this.#request('GET', `/slot?${query.toString()}`, { signal, timeoutMs });
    return parseAnswer(answer, SlotView, this.url);
  }

  /** Undefined where the container knows no such job. */
  async job({ jobId, instanceId }: KnownJob, signal: AbortSignal): Promise<FollowedJob | undefined> {
    try {
      const answer = await this.#request('GET', jobPath(jobId), { signal, instanceId });
      return await parseAnswer(answer, FollowedJob, this.url);
    } catch (error) {
      if (error instanceof ContainerAnswer && error.facts.status === 404) return undefined;
      throw error;
    }
  }

  /** The job's views as they come; none where the container offers no stream. */
  async *events({ jobId, instanceId }: KnownJob, signal: AbortSignal): AsyncGenerator<FollowedJob> {
    const answer = await this.#request('GET', `${jobPath(jobId)}/events`, {
      signal,
      instanceId,
      headers: { accept: 'text/event-stream' },
    });
    // Destroying a body before its end makes it emit an error; without a listener that would end the worker.
    answer.body.on('error', () => {});
    try {
      if (!headerOf(answer, 'content-type')?.startsWith('text/event-stream')) return;
      for await (const data of readEventData(answer.body)) {
        const view = FollowedJob.safeParse(parseJson(data));
        if (view.success) yield view.data;
      }
    } catch (error) {
      throw signal.aborted ? error : new ConnectionLost(error, this.url);
    } finally {
      answer.body.destroy();
    }
  }

  /** Says where files of a job in phase `deliver` go. */
  async giveUrls({ jobId, instanceId }: KnownJob, urls: readonly FileUrls[], signal: AbortSignal): Promise<void> {
    const path = `${jobPath(jobId)}/upload-urls`;
    const answer = await this.#request('POST', path, { body: { urls }, signal, instanceId });
    await expectContainer(answer, this.url);
  }

  /** Ends the job; one that is not known, or has ended, is no error. */
  async cancel({ jobId, instanceId }: KnownJob, signal: AbortSignal): Promise<void> {
    try {
      const answer = await this.#request('DELETE', jobPath(jobId), { signal, instanceId });
      await expectContainer(answer, this.url);
    } catch (error) {
      if (!(error instanceof ContainerAnswer && [404, 409, 410].includes(error.facts.status))) throw error;
    }
  }

  async #request(
    method: Dispatcher.HttpMethod,
    path: string,
    options: {
      body?: unknown;
      signal: AbortSignal;
      headers?: Record<string, string>;
      timeoutMs?: number;
      /** Whose answer it must be, where that is known. */
      instanceId?: string | undefined;
    },
  ): Promise<Dispatcher.ResponseData> {
    let answer: Dispatcher.ResponseData;
    try {
      answer = await request(this.url + path, {
        method,
        dispatcher: this.#agent,
        signal: options.signal,
        headersTimeout: options.timeoutMs ?? answerTimeoutMs,
        bodyTimeout: streamIdleTimeoutMs,
        headers: {
          ...traceHeaders(),
          ...this.#headers,
          accept: 'application/json',
          ...(options.body !== undefined && { 'content-type': 'application/json' }),
          ...options.headers,
        },
        ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      });
    } catch (error) {
      throw options.signal.aborted ? error : new ConnectionLost(error, this.url);
    }
    const answeredBy = headerOf(answer, instanceHeader.toLowerCase());
    if (options.instanceId !== undefined && answeredBy !== undefined && answeredBy !== options.instanceId) {
      await answer.body.dump();
      throw new OtherInstance();
    }
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    throw await readRefusal(answer, this.url);
  }
}

function jobPath(jobId: string): string {
  return `/jobs/${encodeURIComponent(jobId)}`;
}
