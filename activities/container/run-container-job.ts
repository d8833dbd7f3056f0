import type { JobKind, JobResult } from '../../contract/http/job.ts';
import { isS3Url } from '../storage/s3-url.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient, ContainerClients, JobAnswer } from './client.ts';
import { ConnectionLost, ContainerAnswer } from './errors.ts';
import { answerOfJob } from './failures.ts';
import { DeliveryAnswers, type DeliveryDependencies, type TargetOf } from './delivery-answers.ts';
import { followJob } from './follow-job.ts';
import type { HeaderVariables } from './resolve-headers.ts';
import { RequestUrls } from '../storage/presign.ts';

export interface ContainerJobRequest {
  kind: JobKind;
  /** As the workflow gave them. */
  mediaUrls: readonly string[];
  /** Asked anew for each request, so that what it presigns is fresh. */
  body(urls: RequestUrls): Promise<unknown>;
  /** Of the outputs that are delivered on demand. */
  targetOf: TargetOf;
}

/** What an attempt works with. */
export interface AttemptDependencies extends DeliveryDependencies {
  own: ContainerClient;
  /** Where a job may run that an earlier attempt started. */
  at: ContainerClients;
  headerVariables: HeaderVariables;
}

/** How long a request that is under way when the attempt is cancelled may still tell us its job, so that we can end it. */
const acceptGraceMs = 3_000;

/** The request's job: joined where an earlier attempt or a lost worker left one, else started at our own container. */
export async function runContainerJob(
  request: ContainerJobRequest,
  attempt: Attempt,
  dependencies: AttemptDependencies,
): Promise<JobResult> {
  const urls = new RequestUrls(dependencies.presigner);
  try {
    const joined = await joinJob(request, urls, attempt, dependencies);
    return joined ?? (await startContainerJob(request, urls, attempt, dependencies));
  } catch (error) {
    if (!(error instanceof ContainerAnswer && isExpiredSignature(error, request, urls))) throw error;
    // Once only: a store that refuses a fresh signature as expired will refuse the next too.
    return startContainerJob(request, new RequestUrls(dependencies.presigner), attempt, dependencies);
  }
}

async function startContainerJob(
  request: ContainerJobRequest,
  urls: RequestUrls,
  attempt: Attempt,
  dependencies: AttemptDependencies,
): Promise<JobResult> {
  const { own } = dependencies;
  return awaitResult(await submitJob(request, urls, attempt, own), request, attempt, own, dependencies);
}

async function awaitResult(
  answer: JobAnswer,
  { targetOf }: ContainerJobRequest,
  attempt: Attempt,
  container: ContainerClient,
  dependencies: DeliveryDependencies,
): Promise<JobResult> {
  if (answer.kind === 'finished') return answer.result;
  const answers = new DeliveryAnswers(container, answer.jobId, attempt, targetOf, dependencies);
  return followJob(container, answer.jobId, attempt, answers);
}

async function submitJob(
  request: ContainerJobRequest,
  urls: RequestUrls,
  attempt: Attempt,
  container: ContainerClient,
): Promise<JobAnswer> {
  const body = await request.body(urls);
  attempt.setLocation({ containerUrl: container.url });
  // If this worker dies before the answer comes, the next one repeats the request here, which the key makes safe.
  attempt.heartbeat();
  const grace = delayAbort(attempt.signal, acceptGraceMs);
  try {
    return await container.submit(request.kind, body, attempt.idempotencyKey, grace.signal);
  } catch (error) {
    const nothingStarted =
      error instanceof ContainerAnswer || (error instanceof ConnectionLost && !error.mayHaveArrived);
    if (nothingStarted) attempt.setLocation(undefined);
    throw error;
  } finally {
    grace.end();
  }
}

/** Undefined where there is nothing to join. */
async function joinJob(
  request: ContainerJobRequest,
  urls: RequestUrls,
  attempt: Attempt,
  dependencies: AttemptDependencies,
): Promise<JobResult | undefined> {
  const { location } = attempt.state;
  if (location === undefined) return undefined;
  const container = dependencies.at(location.containerUrl);
  let found: JobAnswer | undefined;
  try {
    found =
      location.jobId === undefined
        ? await submitJob(request, urls, attempt, container)
        : await findContainerJob(container, location.jobId, attempt.signal);
  } catch (error) {
    const elsewhere = container.url !== dependencies.own.url;
    if (!elsewhere || !(error instanceof ConnectionLost || error instanceof ContainerAnswer)) throw error;
  }
  if (found !== undefined) return awaitResult(found, request, attempt, container, dependencies);
  attempt.setLocation(undefined);
  return undefined;
}

/** Undefined where the job is to be started anew: it is not known there, or ended in something transient. Any other end is the answer. */
async function findContainerJob(
  container: ContainerClient,
  jobId: string,
  signal: AbortSignal,
): Promise<JobAnswer | undefined> {
  const job = await container.job(jobId, signal);
  if (job === undefined) return undefined;
  const mayRestart =
    (job.state === 'failed' || job.state === 'cancelled') && answerOfJob(job.state, job.error).transient;
  return mayRestart ? undefined : { kind: 'accepted', jobId };
}

const expirableCodes = new Set(['upload_refused', 'source_not_found']);

/** Only where we have signed something ourselves: we cannot renew a URL that the caller signed. */
function isExpiredSignature(answer: ContainerAnswer, request: ContainerJobRequest, urls: RequestUrls): boolean {
  const { code, message, details } = answer.facts;
  if (!expirableCodes.has(code ?? '') || !request.mediaUrls.some(isS3Url)) return false;
  return urls.haveExpired(Date.now()) || /expired/i.test(message + JSON.stringify(details ?? {}));
}

/** Aborts that long after the other signal. */
function delayAbort(signal: AbortSignal, ms: number): { signal: AbortSignal; end(): void } {
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
