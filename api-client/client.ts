import type { MetadataResult } from '../contract/http/metadata.ts';
import type { PresetsBody } from '../contract/http/preset.ts';
import type { EstimateRequest, EstimateView } from '../contract/server/estimate.ts';
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
import type { SharedRun, ShareRequest, ShareView } from '../contract/server/share.ts';
import type { RunFile } from '../contract/server/run-file.ts';
import type { TranscriptRequest } from '../contract/server/transcript.ts';
import type { SessionView } from '../contract/server/session.ts';
import type { ReplayRequest, WebhooksBody } from '../contract/server/webhooks.ts';
import type { UsageView } from '../contract/server/usage.ts';
import type { InspectInput } from '../contract/workflow/inspect.ts';
import type { WorkflowInputs, WorkflowType } from '../contract/workflow/inputs.ts';
import { type HoldfastOptions, type RequestOptions, ServerConnection } from './connection.ts';
import { type EventOptions, followEvents } from './event-stream.ts';
import type { FileUpload } from './file-upload.ts';
import type { SendFileOptions } from './upload.ts';

/** A workflow with its input and the options of its run. */
export type NewRun = {
  [Type in WorkflowType]: Omit<NewRunRequest, 'workflow' | 'input'> & { workflow: Type; input: WorkflowInputs[Type] };
}[WorkflowType];

export interface StartOptions {
  /** A repeated request with the same key gets the run that the first one started. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
}

/** A change among the runs that the caller may see. */
export type RunsEvent =
  /** If not `resumed`, earlier changes are lost and the list must be loaded again. */
  { event: 'ready'; data: { resumed: boolean } } | { event: 'run'; data: RunView };

/** Empty fields filter nothing. */
export type RunsFilter = { [Field in keyof RunsQuery]?: RunsQuery[Field] | undefined };

export type UsageFilter = Partial<Record<'from' | 'to' | 'owner', string>>;

type Signal = Pick<RequestOptions, 'signal'>;

/** The API of a Holdfast server (docs/server.md). Its methods throw a HoldfastError. */
export class HoldfastClient {
  readonly #connection: ServerConnection;

  constructor(options: HoldfastOptions = {}) {
    this.#connection = new ServerConnection(options);
  }

  async start(run: NewRun, { idempotencyKey, signal }: StartOptions = {}): Promise<RunView> {
    // Headers hold ASCII only.
    const key = idempotencyKey?.replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent);
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    return await this.#call('POST', '/api/runs', { body: run, headers, signal });
  }

  /** Reads one page of the list. */
  async list(query: RunsFilter = {}, options: Signal = {}): Promise<RunsPage> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, String(value));
    return await this.#call('GET', `/api/runs?${parameters}`, options);
  }

  async get(id: string, options: Signal = {}): Promise<RunDetails> {
    return await this.#call('GET', pathOf(id), options);
  }

  /** Yields each change of a run, and last its end. */
  async *follow(id: string, options: EventOptions = {}): AsyncGenerator<RunView> {
    for await (const { event, data } of followEvents(this.#connection, `${pathOf(id)}/events`, options)) {
      if (event !== 'run') continue;
      const run = data as RunView;
      yield run;
      if (run.endedAt !== undefined) return;
    }
  }

  /** Waits until the run has ended, whether it succeeded or not. */
  async untilEnded(id: string, options: EventOptions = {}): Promise<RunDetails> {
    for await (const { endedAt } of this.follow(id, options)) if (endedAt !== undefined) break;
    options.signal?.throwIfAborted();
    return await this.get(id, options);
  }

  /** Yields changes among the runs until the signal is aborted. */
  async *events(options: EventOptions = {}): AsyncGenerator<RunsEvent> {
    for await (const event of followEvents(this.#connection, '/api/events', options)) yield event as RunsEvent;
  }

  /** Requests the cancellation. The run continues until its container has ended the job. */
  async cancel(id: string, options: Signal = {}): Promise<RunView> {
    return await this.#call('POST', `${pathOf(id)}/cancel`, options);
  }

  /** Moves a queued run: 1 is the most urgent priority, 5 the least. */
  async changePriority(id: string, priority: PriorityRequest['priority'], options: Signal = {}): Promise<RunView> {
    return await this.#call('POST', `${pathOf(id)}/priority`, { body: { priority }, ...options });
  }

  /** Starts another run with the same input, changed by `change`, a JSON Merge Patch (RFC 7396). */
  async rerun(id: string, change?: Record<string, unknown>, options: Signal = {}): Promise<RunView> {
    return await this.#call('POST', `${pathOf(id)}/rerun`, { body: change && { input: change }, ...options });
  }

  /** Makes a link to the results of a run, for people without a token. */
  async share(id: string, request: Partial<ShareRequest> = {}, options: Signal = {}): Promise<ShareView> {
    return await this.#call('POST', `${pathOf(id)}/share`, { body: request, ...options });
  }

  /**
   * Stores a corrected transcript. `version`: the version that was corrected, 0 for the transcript that the run wrote. If
   * somebody has stored another version since, the code of the error is `precondition_failed`.
   */
  async saveTranscript(
    id: string,
    transcript: TranscriptRequest,
    version: number,
    options: Signal = {},
  ): Promise<RunFile> {
    const headers = { 'If-Match': `"${version}"` };
    return await this.#call('PUT', `${pathOf(id)}/transcript`, { body: transcript, headers, ...options });
  }

  /** Reads shared results by the ticket: the part of the link after `#`. */
  async shared(ticket: string, options: Signal = {}): Promise<SharedRun> {
    return await this.#call('GET', '/api/shared', { headers: { Authorization: `Bearer ${ticket}` }, ...options });
  }

  /** Starts, cancels or reruns many runs. A failure of one does not affect the others. */
  async batch(batch: BatchRequest, options: Signal = {}): Promise<BatchResult> {
    return await this.#call('POST', '/api/runs:batch', { body: batch, ...options });
  }

  /** Prepares an upload; its `send` begins or resumes it. */
  async createUpload(file: Blob, options: SendFileOptions = {}): Promise<FileUpload> {
    return (await import('./upload.ts')).createUpload(this.#connection, file, options);
  }

  /**
   * Sends a file. The answer, `upload:<id>`, is a `sourceUrl` for the input of a run. With `to: 's3'` the file goes straight to the server's
   * bucket, and the answer is the URL of the object, such as `s3://…`.
   */
  async upload(file: Blob, options: SendFileOptions = {}): Promise<string> {
    return await (await this.createUpload(file, options)).send();
  }

  /** Reads duration, streams and tags of a source without starting a run. */
  async inspect(source: InspectInput, options: Signal = {}): Promise<MetadataResult> {
    return await this.#call('POST', '/api/inspect', { body: source, ...options });
  }

  async presets(options: Signal = {}): Promise<PresetsBody['presets']> {
    return (await this.#call<PresetsBody>('GET', '/api/presets', options)).presets;
  }

  /** The caller's permissions and the server's features. */
  async session(options: Signal = {}): Promise<SessionView> {
    return await this.#call('GET', '/api/session', options);
  }

  /** The queue for containers. */
  async queue(options: Signal = {}): Promise<QueueView> {
    return await this.#call('GET', '/api/queue', options);
  }

  /** The queue during the last 24 hours. */
  async queueHistory(options: Signal = {}): Promise<QueueHistory> {
    return await this.#call('GET', '/api/queue/history', options);
  }

  /** Counts failed runs by error code. */
  async errors(hours = 24, options: Signal = {}): Promise<ErrorsView> {
    return await this.#call('GET', `/api/errors?hours=${hours}`, options);
  }

  /** Sums what ended runs used, by day and owner. Default: the last 30 days. */
  async usage(query: UsageFilter = {}, options: Signal = {}): Promise<UsageView> {
    return await this.#call('GET', `/api/usage?${new URLSearchParams(query)}`, options);
  }

  /** The sums of `usage` as CSV. */
  async usageCsv(query: UsageFilter = {}, options: Signal = {}): Promise<string> {
    const parameters = new URLSearchParams({ ...query, format: 'csv' });
    return await (await this.#connection.request('GET', `/api/usage?${parameters}`, options)).text();
  }

  /** Estimates time, size and cost of a run from past runs of the same kind, without starting it. */
  async estimate(request: EstimateRequest, options: Signal = {}): Promise<EstimateView> {
    return await this.#call('POST', '/api/estimate', { body: request, ...options });
  }

  async limiters(options: Signal = {}): Promise<LimiterEntry[]> {
    return (await this.#call<LimitersBody>('GET', '/api/limiters', options)).limiters;
  }

  /** Pauses all calls of `<provider>/<model>` for some time. */
  async throttle(key: string, request: ThrottleRequest, options: Signal = {}): Promise<LimiterEntry> {
    return await this.#call('POST', `${pathOfLimiter(key)}/throttle`, { body: request, ...options });
  }

  async resume(key: string, options: Signal = {}): Promise<LimiterEntry> {
    return await this.#call('POST', `${pathOfLimiter(key)}/resume`, options);
  }

  async setLimits(key: string, limits: SetLimitsRequest, options: Signal = {}): Promise<LimiterEntry> {
    return await this.#call('POST', `${pathOfLimiter(key)}/set`, { body: limits, ...options });
  }

  /** Messages of a run to its webhook, each with its delivery attempts. */
  async webhooks(id: string, options: Signal = {}): Promise<WebhooksBody> {
    return await this.#call('GET', `${pathOf(id)}/webhooks`, options);
  }

  /** Sends messages of a run to its webhook again. */
  async replayWebhooks(id: string, request: ReplayRequest = {}, options: Signal = {}): Promise<WebhooksBody> {
    return await this.#call('POST', `${pathOf(id)}/webhooks/replay`, { body: request, ...options });
  }

  async #call<Answer>(method: 'GET' | 'POST' | 'PUT', path: string, options: RequestOptions): Promise<Answer> {
    const response = await this.#connection.request(method, path, options);
    return (await response.json()) as Answer;
  }
}

/** The key `<provider>/<model>` makes two segments of the path. */
function pathOfLimiter(key: string): string {
  return `/api/limiters/${key.split('/').map(encodeURIComponent).join('/')}`;
}

function pathOf(id: string): string {
  return `/api/runs/${encodeURIComponent(id)}`;
}
