import { Agent, type Dispatcher, request } from 'undici';
import { hostname } from 'node:os';
import type { ContainerPlace, JobLocation } from '../../contract/activity.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import {
  AcceptedBody,
  HealthBody,
  type JobKind,
  type JobResult,
  jobResults,
  ReadyBody,
} from '../../contract/http/job.ts';
import { type SourceIdentity, type SourceRequest, SourceResult } from '../../contract/http/source.ts';
import type { FileUrls } from '../../contract/http/upload-urls.ts';
import { instanceHeader, leaseHeader, type SlotQuery, SlotView } from '../../contract/http/slot.ts';
import { parseJson } from '../../contract/unknown-values.ts';
import { traceHeaders } from '../../tracing/propagate.ts';
import { requestIdHeaders } from '../../tracing/request-id.ts';
import { headerOf } from '../retry-after.ts';
import { ConnectionLost, ContainerAnswer, OtherInstance, OtherMachine } from './errors.ts';
import { readEventData } from './event-stream.ts';
import { FollowedJob, isViewOf } from './followed-job.ts';
import { expectAnswerAbout, otherJob, parseAnswer, readRefusal } from './read-answer.ts';

/** A running machine accepts a connection at once. */
const connectTimeoutMs = 5_000;
/** Jobs run apart from requests, so the container answers from memory. */
const answerTimeoutMs = 10_000;
/** A short timeout detects an absent container sooner. */
const slotTimeoutMs = 3_000;
/** A container holds a slot request for up to 10 s. */
const heldSlotTimeoutMs = 15_000;
/** The container sends a keep-alive comment every 10 s; after three missing ones the stream is dead. */
const streamIdleTimeoutMs = 30_000;
/** The source's server may be slow, and the container may inspect other sources first. */
const sourceTimeoutMs = 120_000;

type KnownJob = Pick<JobLocation, 'jobId' | 'instanceId'>;

export type JobAnswer = { kind: 'accepted'; job: KnownJob } | { kind: 'finished'; result: JobResult };

interface Submit {
  kind: JobKind;
  body: unknown;
  idempotencyKey: string;
  lease: string | undefined;
}

/** Number of requests after which one has almost certainly reached the job's instance, if several share the address. */
const triesOfInstance = 10;

interface RequestOptions {
  body?: unknown;
  signal: AbortSignal;
  headers?: Record<string, string>;
  timeoutMs?: number;
  instanceId?: string | undefined;
}

/** Throws `OtherMachine` if the place belongs to another machine. */
export type ContainerClients = (place: ContainerPlace) => ContainerClient;

/** Name of this machine in a `ContainerPlace`; inside a container, the container's id by default. */
export const thisMachine = hostname();

/** Keeps one client, with its open connections, per container. */
export function containerClients(token: string | undefined): ContainerClients {
  const clients = new Map<string, ContainerClient>();
  return (place) => {
    const { containerUrl, machine } = place;
    if (machine !== undefined && machine !== thisMachine) throw new OtherMachine(place);
    const client = clients.get(containerUrl) ?? new ContainerClient(containerUrl, token);
    clients.set(containerUrl, client);
    return client;
  };
}

/** The container's HTTP API. Errors are thrown as `ContainerAnswer`, answers of anything else as `ConnectionLost`. */
export class ContainerClient {
  readonly url: string;
  readonly #headers: Record<string, string>;
  readonly #agent: Agent;
  /** Opens a connection per request: a load balancer may bind each connection to an instance. */
  readonly #freshAgent: Agent;

  constructor(url: string, token: string | undefined) {
    this.url = url.replace(/\/+$/, '');
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const options = { connect: { timeout: connectTimeoutMs }, allowH2: false };
    this.#agent = new Agent(options);
    this.#freshAgent = new Agent({ ...options, pipelining: 0 });
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
      return { kind: 'accepted', job: { jobId, ...definedFields({ instanceId: instanceOf(answer) }) } };
    }
    return { kind: 'finished', result: await parseAnswer<JobResult>(answer, jobResults[kind], this.url) };
  }

  /** Identity of a source; empty for containers without this endpoint. */
  async source(body: SourceRequest, signal: AbortSignal): Promise<SourceIdentity> {
    try {
      const answer = await this.#request('POST', '/source', { body, signal, timeoutMs: sourceTimeoutMs });
      return await parseAnswer(answer, SourceResult, this.url);
    } catch (error) {
      if (error instanceof ContainerAnswer && error.facts.code === 'not_found') return {};
      throw error;
    }
  }

  /** State of a slot lease; answered when the state differs from `known`, or after some seconds. */
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

  /** Whether several instances answer at the address, as behind a load balancer. Tries that fail say nothing. */
  async hasSeveralInstances(signal: AbortSignal): Promise<boolean> {
    const tries = Array.from({ length: triesOfInstance }, async () => this.#instanceNow(signal));
    const answered = (await Promise.all(tries)).filter((instanceId) => instanceId !== undefined);
    return new Set(answered).size > 1;
  }

  /** False also for a container that cannot be asked. */
  async isDraining(signal: AbortSignal): Promise<boolean> {
    try {
      const answer = await this.#send('GET', '/ready', { signal, timeoutMs: slotTimeoutMs }, this.#agent);
      return (await parseAnswer(answer, ReadyBody, this.url)).reason === 'draining';
    } catch {
      return false;
    }
  }

  /** Undefined if the container does not know the job. */
  async job({ jobId, instanceId }: KnownJob, signal: AbortSignal): Promise<FollowedJob | undefined> {
    try {
      const answer = await this.#request('GET', jobPath(jobId), { signal, instanceId });
      const view = await parseAnswer(answer, FollowedJob, this.url);
      if (!isViewOf(view, jobId)) throw otherJob(jobId, answer.statusCode);
      return view;
    } catch (error) {
      if (error instanceof ContainerAnswer && error.facts.status === 404) return undefined;
      throw error;
    }
  }

  /** Views of the job from its event stream; none if the container has no stream. */
  async *events({ jobId, instanceId }: KnownJob, signal: AbortSignal): AsyncGenerator<FollowedJob> {
    const answer = await this.#request('GET', `${jobPath(jobId)}/events`, {
      signal,
      instanceId,
      headers: { accept: 'text/event-stream' },
    });
    // A body destroyed before its end emits an error, which would end the worker without a listener.
    answer.body.on('error', () => {});
    try {
      if (!headerOf(answer.headers, 'content-type')?.startsWith('text/event-stream')) return;
      for await (const data of readEventData(answer.body)) {
        const view = FollowedJob.safeParse(parseJson(data));
        if (view.success && isViewOf(view.data, jobId)) yield view.data;
      }
    } catch (error) {
      throw signal.aborted ? error : new ConnectionLost(error, this.url);
    } finally {
      answer.body.destroy();
    }
  }

  async giveUrls({ jobId, instanceId }: KnownJob, urls: readonly FileUrls[], signal: AbortSignal): Promise<void> {
    const path = `${jobPath(jobId)}/upload-urls`;
    const answer = await this.#request('POST', path, { body: { urls }, signal, instanceId });
    await expectAnswerAbout(jobId, answer, this.url);
  }

  /** Cancels the job. An unknown or ended job is not an error. */
  async cancel({ jobId, instanceId }: KnownJob, signal: AbortSignal): Promise<void> {
    try {
      const answer = await this.#request('DELETE', jobPath(jobId), { signal, instanceId });
      await expectAnswerAbout(jobId, answer, this.url);
    } catch (error) {
      if (!(error instanceof ContainerAnswer && [404, 409, 410].includes(error.facts.status))) throw error;
    }
  }

  async #instanceNow(signal: AbortSignal): Promise<string | undefined> {
    try {
      const answer = await this.#send('GET', '/health', { signal, timeoutMs: slotTimeoutMs }, this.#freshAgent);
      const { instanceId } = await parseAnswer(answer, HealthBody, this.url);
      return instanceId;
    } catch (error) {
      if (error instanceof ConnectionLost || error instanceof ContainerAnswer) return undefined;
      throw error;
    }
  }

  /** Throws `OtherInstance` if the requested instance does not answer at the address, which other instances may share. */
  async #request(
    method: Dispatcher.HttpMethod,
    path: string,
    options: RequestOptions,
  ): Promise<Dispatcher.ResponseData> {
    const { instanceId } = options;
    let answer = await this.#send(method, path, options, this.#agent);
    for (let tries = 1; isOfOther(answer, instanceId); tries += 1) {
      await answer.body.dump();
      if (tries === triesOfInstance) throw new OtherInstance();
      answer = await this.#send(method, path, options, this.#freshAgent);
    }
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    throw await readRefusal(answer, this.url);
  }

  async #send(
    method: Dispatcher.HttpMethod,
    path: string,
    options: RequestOptions,
    dispatcher: Agent,
  ): Promise<Dispatcher.ResponseData> {
    try {
      return await request(this.url + path, {
        method,
        dispatcher,
        signal: options.signal,
        headersTimeout: options.timeoutMs ?? answerTimeoutMs,
        bodyTimeout: streamIdleTimeoutMs,
        headers: {
          ...traceHeaders(),
          ...requestIdHeaders(),
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
  }
}

function instanceOf(answer: Dispatcher.ResponseData): string | undefined {
  return headerOf(answer.headers, instanceHeader.toLowerCase());
}

function isOfOther(answer: Dispatcher.ResponseData, instanceId: string | undefined): boolean {
  const answeredBy = instanceOf(answer);
  return instanceId !== undefined && answeredBy !== undefined && answeredBy !== instanceId;
}

function jobPath(jobId: string): string {
  return `/jobs/${encodeURIComponent(jobId)}`;
}
