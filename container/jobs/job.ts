import { EventEmitter } from 'node:events';
import type { EndedJobView, JobKind, JobResult, JobView, ListedJob } from '../../contract/http/job.ts';
import { JobSpan } from '../../tracing/phases.ts';
import { asMediaError, errorBody, ServiceError } from '../errors.ts';
import type { MediaError } from '../../engine/media-error.ts';
import type { Work } from '../../engine/work.ts';
import { errorFacts } from '../../tracing/error-facts.ts';
import type { Logger } from 'pino';
import type { Delivery } from './delivery.ts';
import type { Metrics } from './metrics.ts';
import { createProgressMeter, type ProgressMeter } from './progress.ts';
import type { JobFolders, Scratch } from './scratch.ts';
import type { Release, Slots } from './slots.ts';

/** Context of a job's work. The folders are removed when the work ends, whatever its outcome. */
export interface JobContext extends JobFolders, Work {
  log: Logger;
  jobId: string;
  /** Starts to ask the job's caller for the URLs that the delivery wants. */
  openDelivery(delivery: Delivery): void;
}

export type JobWork = (context: JobContext) => Promise<JobResult>;

type JobEnding =
  | { state: 'succeeded'; result: JobResult }
  | { state: 'failed'; error: MediaError }
  | { state: 'cancelled'; error: MediaError };

export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  readonly state: JobView['state'];
  view(): JobView;
  /** The fields of `view` without the result and the wanted files. */
  list(): ListedJob;
  /** Undefined before the job wants URLs and after it has ended. */
  readonly delivery: Delivery | undefined;
  /** Settles when the job has ended and its slot is free; never rejects. */
  readonly ended: Promise<EndedJobView>;
  /** Calls the listener after each advance and at the end, until the returned function is called. */
  onChange(listener: () => void): () => void;
  cancel(reason?: ServiceError): void;
  /** The job is cancelled or out of time and has not ended: it still holds its slot. */
  readonly isEnding: boolean;
  /**
   * Registers a waiting client; the client calls the returned function to leave. When the last client leaves, the job
   * is cancelled, unless a client asked to keep it.
   */
  hold(): Release;
  /** Lets the job continue without a waiting client. */
  keep(): void;
}

export interface JobDeps {
  slots: Slots;
  scratch: Scratch;
  metrics: Metrics;
  log: Logger;
  jobTimeoutSeconds: number;
}

export interface JobStart {
  id: string;
  kind: JobKind;
  idempotencyKey: string | undefined;
  work: JobWork;
  /** Frees the slot; does nothing for a job without one. */
  release: Release;
}

type JobFacts = Omit<Extract<JobView, { state: 'running' }>, 'state'>;

function describeEnd(ending: JobEnding, facts: JobFacts): EndedJobView {
  const endedAt = new Date().toISOString();
  return ending.state === 'succeeded'
    ? { ...facts, percent: 100, state: ending.state, endedAt, result: ending.result }
    : { ...facts, state: ending.state, endedAt, error: errorBody(ending.error, facts.jobId) };
}

export function withoutResult(view: JobView): ListedJob {
  switch (view.state) {
    case 'running': {
      const { wanted: _, ...facts } = view;
      return facts;
    }
    case 'succeeded': {
      const { result: _, ...facts } = view;
      return facts;
    }
    case 'failed':
    case 'cancelled':
      return view;
  }
}

const endWords = { succeeded: 'Completed', failed: 'Failed', cancelled: 'Cancelled' } as const;
const kindWords: Record<JobKind, string> = { encode: 'encoding', chunk: 'chunking', metadata: 'metadata' };

/** Dashboards that count these lines count jobs with a slot. */
function logTag(kind: JobKind, event: 'START' | 'END'): string {
  return kind === 'metadata' ? '' : `[JOB_${event}] `;
}

/** Starts the work. Every outcome frees the slot, removes the folder and writes a log line. */
export function startJob({ id, kind, idempotencyKey, work, release }: JobStart, deps: JobDeps): Job {
  const { slots, scratch, metrics, jobTimeoutSeconds } = deps;
  // A workflow's key contains its run id, so the log tells whose job it is.
  const log = deps.log.child({ jobId: id, kind, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
  const startedAt = new Date();
  const abort = new AbortController();
  const changes = new EventEmitter().setMaxListeners(0);
  const progress = createProgressMeter(kind, () => changes.emit('change'));
  const span = new JobSpan(kind, progress.view(false).phase, { 'holdfast.job.id': id });
  const advance: ProgressMeter['advance'] = (phase, ...done) => {
    span.enter(phase);
    progress.advance(phase, ...done);
  };
  let end: EndedJobView | undefined;
  let holders = 0;
  let isKept = false;
  let delivery: Delivery | undefined;
  const openDelivery = (opened: Delivery): void => {
    delivery = opened;
  };

  const facts = (hasEnded: boolean): JobFacts => ({
    jobId: id,
    kind,
    ...progress.view(hasEnded),
    startedAt: startedAt.toISOString(),
  });

  const view = (): JobView => {
    if (end !== undefined) return end;
    const wanted = delivery?.wanted() ?? [];
    return { ...facts(false), state: 'running', ...(wanted.length > 0 && { wanted }) };
  };

  const perform = async (): Promise<JobResult> => {
    const folders = await scratch.createFolders(id);
    try {
      return await work({ jobId: id, ...folders, signal: abort.signal, log, advance, openDelivery });
    } finally {
      await scratch.removeFolders(id);
    }
  };

  const settle = (ending: JobEnding): EndedJobView => {
    release();
    delivery = undefined;
    end = describeEnd(ending, facts(true));
    const activeJobs = slots.activeIds.size;
    const elapsedMs = Date.now() - startedAt.getTime();
    metrics.recordEnd(end, { seconds: elapsedMs / 1000, phaseSeconds: progress.phaseSeconds() });
    const logged = { activeJobs, state: ending.state, elapsedMs };
    if (ending.state !== 'succeeded') {
      const { code, message } = ending.error;
      Object.assign(logged, {
        code,
        error: message,
        ...(ending.error.cause === undefined ? {} : { cause: errorFacts(ending.error.cause) }),
      });
    }
    log.info(
      logged,
      `${logTag(kind, 'END')}${endWords[ending.state]} ${kindWords[kind]} job ${id}. Active jobs: ${activeJobs}`,
    );
    span.end(ending.state === 'succeeded' ? undefined : ending.error);
    changes.emit('change');
    return end;
  };

  const runToEnd = async (): Promise<JobEnding> => {
    const deadline = setTimeout(() => {
      abort.abort(new ServiceError('timeout', `The job took longer than the limit of ${jobTimeoutSeconds} seconds.`));
    }, jobTimeoutSeconds * 1000);
    try {
      return { state: 'succeeded', result: await perform() };
    } catch (thrown) {
      const error = asMediaError(abort.signal.aborted ? abort.signal.reason : thrown);
      if (error.code === 'cancelled') return { state: 'cancelled', error };
      if (error.code === 'internal') log.error(errorFacts(thrown), 'A job met a bug');
      return { state: 'failed', error };
    } finally {
      clearTimeout(deadline);
    }
  };

  log.info(
    { activeJobs: slots.activeIds.size },
    `${logTag(kind, 'START')}Started ${kindWords[kind]} job ${id}. Active jobs: ${slots.activeIds.size}`,
  );
  const ended = span.run(() => runToEnd().then(settle));

  const cancel = (reason = new ServiceError('cancelled', 'The job was cancelled.')): void => abort.abort(reason);

  return {
    id,
    kind,
    ended,
    cancel,
    get state() {
      return end === undefined ? 'running' : end.state;
    },
    get delivery() {
      return delivery;
    },
    get isEnding() {
      return abort.signal.aborted && end === undefined;
    },
    view,
    list: () => withoutResult(view()),
    onChange(listener) {
      changes.on('change', listener);
      return () => void changes.off('change', listener);
    },
    hold() {
      holders += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holders -= 1;
        if (holders === 0 && !isKept && end === undefined) {
          cancel(new ServiceError('cancelled', 'The job was cancelled because its client closed the connection.'));
        }
      };
    },
    keep() {
      isKept = true;
    },
  };
}
