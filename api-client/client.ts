import type { MetadataResult } from '../contract/http/metadata.ts';
import type { PresetsBody } from '../contract/http/preset.ts';
import type { ErrorsView } from '../contract/server/errors.ts';
import type { LimiterEntry, LimitersBody, SetLimitsRequest, ThrottleRequest } from '../contract/server/limiters.ts';
import type { QueueHistory, QueueView } from '../contract/server/queue.ts';
import type {
  BatchRequest,
  BatchResult,
  NewRunRequest,
  PriorityRequest,
  RunDetails,
  RunsPage,
  RunsQuery,
  RunView,
} from '../contract/server/run.ts';
import type { SessionView } from '../contract/server/session.ts';
import type { ReplayRequest, WebhooksBody } from '../contract/server/webhooks.ts';
import type { InspectInput } from '../contract/workflow/inspect.ts';
import type { WorkflowInputs, WorkflowType } from '../contract/workflow/inputs.ts';
import { type HoldfastOptions, type RequestOptions, ServerConnection } from './connection.ts';
import { type EventOptions, followEvents } from './event-stream.ts';
import type { FileUpload, SendFileOptions } from './upload.ts';

/** What is to be done, with the input of its workflow. */
export type NewRun = {
  [Type in WorkflowType]: Omit<NewRunRequest, 'workflow' | 'input'> & { workflow: Type; input: WorkflowInputs[Type] };
}[WorkflowType];

export interface StartOptions {
  /** A second request with it is answered with the run that the first has started. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
}

/** Of all runs that the caller may see. */
export type RunsEvent =
  /** Not resumed: what changed before is not known, and the list is to be loaded. */
  { event: 'ready'; data: { resumed: boolean } } | { event: 'run'; data: RunView };

/** Fields that are empty filter nothing. */
export type RunsFilter = { [Field in keyof RunsQuery]?: RunsQuery[Field] | undefined };

type Signal = Pick<RequestOptions, 'signal'>;

/** The API of a Holdfast server (docs/server.md). Its methods throw a HoldfastError. */
export class HoldfastClient {
  readonly #connection: ServerConnection;

  constructor(options: HoldfastOptions = {}) {
    this.#connection = new ServerConnection(options);
  }

  /** Starts a run. */
  async start(run: NewRun, { idempotencyKey, signal }: StartOptions = {}): Promise<RunView> {
    // A header holds ASCII.
    const key = idempotencyKey?.replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent);
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    return await this.#call('POST', '/api/runs', { body: run, headers, signal });
  }

  /** A page of the list. */
  async list(query: RunsFilter = {}, options: Signal = {}): Promise<RunsPage> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, String(value));
    return await this.#call('GET', `/api/runs?${parameters}`, options);
  }

  /** All of one run. */
  async get(id: string, options: Signal = {}): Promise<RunDetails> {
    return await this.#call('GET', pathOf(id), options);
  }

  /** Each change of a run, and at last its end. */
  async *follow(id: string, options: EventOptions = {}): AsyncGenerator<RunView> {
    for await (const { event, data } of followEvents(this.#connection, `${pathOf(id)}/events`, options)) {
      if (event !== 'run') continue;
      const run = data as RunView;
      yield run;
      if (run.endedAt !== undefined) return;
    }
  }

  /** Waits for the end of a run, however it ends. */
  async untilEnded(id: string, options: EventOptions = {}): Promise<RunDetails> {
    for await (const { endedAt } of this.follow(id, options)) if (endedAt !== undefined) break;
    options.signal?.throwIfAborted();
    return await this.get(id, options);
  }

  /** What changes among the runs, until the signal is aborted. */
  async *events(options: EventOptions = {}): AsyncGenerator<RunsEvent> {
    for await (const event of followEvents(this.#connection, '/api/events', options)) yield event as RunsEvent;
  }

  /** The run goes on until its container has ended its job. */
  async cancel(id: string, options: Signal = {}): Promise<RunView> {
    return await this.#call('POST', `${pathOf(id)}/cancel`, options);
  }

  /** 1 is the most urgent, 5 the least. A run that stands in the line moves in it. */
  async changePriority(id: string, priority: PriorityRequest['priority'], options: Signal = {}): Promise<RunView> {
    return await this.#call('POST', `${pathOf(id)}/priority`, { body: { priority }, ...options });
  }

  /** Starts another run with its input; `change` is a JSON Merge Patch (RFC 7396) for it. */
  async rerun(id: string, change?: Record<string, unknown>, options: Signal = {}): Promise<RunView> {
    return await this.#call('POST', `${pathOf(id)}/rerun`, { body: change && { input: change }, ...options });
  }

  /** Starts, cancels or reruns many; what fails of one has no effect on the others. */
  async batch(batch: BatchRequest, options: Signal = {}): Promise<BatchResult> {
    return await this.#call('POST', '/api/runs:batch', { body: batch, ...options });
  }

  /** An upload that has not begun: its `send` begins it, and goes on with it. */
  async createUpload(file: Blob, options: SendFileOptions = {}): Promise<FileUpload> {
    return (await import('./upload.ts')).createUpload(this.#connection, file, options);
  }

  /**
   * Sends a file. The answer, `upload:<id>`, is a `sourceUrl` for the input of a run; with `to: 's3'` the file goes straight to the bucket
   * of the server, past the server itself, and the answer is `s3://…`.
   */
  async upload(file: Blob, options: SendFileOptions = {}): Promise<string> {
    return await (await this.createUpload(file, options)).send();
  }

  /** The facts of a source, without a run. */
  async inspect(source: InspectInput, options: Signal = {}): Promise<MetadataResult> {
    return await this.#call('POST', '/api/inspect', { body: source, ...options });
  }

  async presets(options: Signal = {}): Promise<PresetsBody['presets']> {
    return (await this.#call<PresetsBody>('GET', '/api/presets', options)).presets;
  }

  /** Who asks, and what the server has. */
  async session(options: Signal = {}): Promise<SessionView> {
    return await this.#call('GET', '/api/session', options);
  }

  /** The line for containers. */
  async queue(options: Signal = {}): Promise<QueueView> {
    return await this.#call('GET', '/api/queue', options);
  }

  /** The line in the last day. */
  async queueHistory(options: Signal = {}): Promise<QueueHistory> {
    return await this.#call('GET', '/api/queue/history', options);
  }

  /** By which errors runs have failed in the last hours. */
  async errors(hours = 24, options: Signal = {}): Promise<ErrorsView> {
    return await this.#call('GET', `/api/errors?hours=${hours}`, options);
  }

  async limiters(options: Signal = {}): Promise<LimiterEntry[]> {
    return (await this.#call<LimitersBody>('GET', '/api/limiters', options)).limiters;
  }

  /** Starts no call of `<provider>/<model>` for some time. */
  async throttle(key: string, request: ThrottleRequest, options: Signal = {}): Promise<LimiterEntry> {
    return await this.#call('POST', `${pathOfLimiter(key)}/throttle`, { body: request, ...options });
  }

  async resume(key: string, options: Signal = {}): Promise<LimiterEntry> {
    return await this.#call('POST', `${pathOfLimiter(key)}/resume`, options);
  }

  async setLimits(key: string, limits: SetLimitsRequest, options: Signal = {}): Promise<LimiterEntry> {
    return await this.#call('POST', `${pathOfLimiter(key)}/set`, { body: limits, ...options });
  }

  /** What a run has told its webhook, with each try. */
  async webhooks(id: string, options: Signal = {}): Promise<WebhooksBody> {
    return await this.#call('GET', `${pathOf(id)}/webhooks`, options);
  }

  /** Sends messages of a run to its webhook again. */
  async replayWebhooks(id: string, request: ReplayRequest = {}, options: Signal = {}): Promise<WebhooksBody> {
    return await this.#call('POST', `${pathOf(id)}/webhooks/replay`, { body: request, ...options });
  }

  async #call<Answer>(method: 'GET' | 'POST', path: string, options: RequestOptions): Promise<Answer> {
    const response = await this.#connection.request(method, path, options);
    return (await response.json()) as Answer;
  }
}

/** The key is `<provider>/<model>`, which the path has as two parts. */
function pathOfLimiter(key: string): string {
  return `/api/limiters/${key.split('/').map(encodeURIComponent).join('/')}`;
}

function pathOf(id: string): string {
  return `/api/runs/${encodeURIComponent(id)}`;
}
