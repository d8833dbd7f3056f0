import { isS3Url } from '../storage/s3-url.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient, ContainerClients, Submitted } from './client.ts';
import { ConnectionLost, ContainerAnswer } from './errors.ts';
import { answerOfJob } from './failures.ts';
import { followJob } from './follow-job.ts';
import type { JobResult } from './followed-job.ts';
import { type Presigner, RequestUrls } from '../storage/presign.ts';

export interface JobRequest {
  path: '/encode' | '/chunk';
  /** As the workflow gave them. */
  mediaUrls: readonly string[];
  /** Asked anew for each request, so that what it presigns is fresh. */
  body(urls: RequestUrls): Promise<unknown>;
}

/** What an attempt works with. */
export interface Containers {
  own: ContainerClient;
  /** Where a job may run that an earlier attempt started. */
  at: ContainerClients;
  presigner: Presigner;
}

/** How long a request that is under way when the attempt is cancelled may still tell us its job, so that we can end it. */
const acceptGraceMs = 3_000;

/** The request's job: joined where an earlier attempt or a lost worker left one, else started at our own container. */
export async function runJob(request: JobRequest, attempt: Attempt, containers: Containers): Promise<JobResult> {
  const urls = new RequestUrls(containers.presigner);
  try {
    const joined = await joinedJob(request, urls, attempt, containers);
    return joined ?? (await startedJob(request, urls, attempt, containers.own));
  } catch (error) {
    if (!(error instanceof ContainerAnswer && refusedAsExpired(error, request, urls))) throw error;
    // Once only: a store that calls a fresh signature expired has another trouble.
    return startedJob(request, new RequestUrls(containers.presigner), attempt, containers.own);
  }
}

async function startedJob(
  request: JobRequest,
  urls: RequestUrls,
  attempt: Attempt,
  container: ContainerClient,
): Promise<JobResult> {
  return ended(await submitted(request, urls, attempt, container), attempt, container);
}

async function ended(submitted: Submitted, attempt: Attempt, container: ContainerClient): Promise<JobResult> {
  return submitted.kind === 'finished' ? submitted.result : followJob(container, submitted.jobId, attempt);
}

async function submitted(
  request: JobRequest,
  urls: RequestUrls,
  attempt: Attempt,
  container: ContainerClient,
): Promise<Submitted> {
  const body = await request.body(urls);
  attempt.moveTo({ containerUrl: container.url });
  // Should we die before the answer comes, the next worker asks this container first: the key makes the request safe to repeat.
  attempt.heartbeat();
  const grace = graceAfter(attempt.signal, acceptGraceMs);
  try {
    return await container.submit(request.path, body, attempt.idempotencyKey, grace.signal);
  } catch (error) {
    const nothingStarted =
      error instanceof ContainerAnswer || (error instanceof ConnectionLost && !error.mayHaveArrived);
    if (nothingStarted) attempt.moveTo(undefined);
    throw error;
  } finally {
    grace.end();
  }
}

/** Undefined where there is nothing to join. */
async function joinedJob(
  request: JobRequest,
  urls: RequestUrls,
  attempt: Attempt,
  containers: Containers,
): Promise<JobResult | undefined> {
  const { location } = attempt.carry;
  if (location === undefined) return undefined;
  const container = containers.at(location.containerUrl);
  let found: Submitted | undefined;
  try {
    found =
      location.jobId === undefined
        ? await submitted(request, urls, attempt, container)
        : await jobToJoin(container, location.jobId, attempt.signal);
  } catch (error) {
    const elsewhere = container.url !== containers.own.url;
    if (!elsewhere || !(error instanceof ConnectionLost || error instanceof ContainerAnswer)) throw error;
  }
  if (found !== undefined) return ended(found, attempt, container);
  attempt.moveTo(undefined);
  return undefined;
}

/** A job that ended in something that passes is started again; any other end is the answer. */
async function jobToJoin(
  container: ContainerClient,
  jobId: string,
  signal: AbortSignal,
): Promise<Submitted | undefined> {
  const job = await container.job(jobId, signal);
  if (job === undefined) return undefined;
  const over = (job.state === 'failed' || job.state === 'cancelled') && answerOfJob(job.state, job.error).transient;
  return over ? undefined : { kind: 'accepted', jobId };
}

const expirableCodes = new Set(['upload_refused', 'upload_forbidden', 'source_forbidden']);

/** Only where we signed something ourselves: a caller's own expired URL is not ours to renew. */
function refusedAsExpired(answer: ContainerAnswer, request: JobRequest, urls: RequestUrls): boolean {
  const { code, message, details } = answer.facts;
  if (!expirableCodes.has(code ?? '') || !request.mediaUrls.some(isS3Url)) return false;
  return urls.expired(Date.now()) || /expired/i.test(message + JSON.stringify(details ?? {}));
}

function graceAfter(signal: AbortSignal, ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => controller.abort(signal.reason), ms);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    end: () => {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}
