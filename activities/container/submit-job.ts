import type { ContainerPlace, Submission } from '../../contract/activity.ts';
import type { JobKind } from '../../contract/http/job.ts';
import type { Stores } from '../../stores/backends.ts';
import { RequestUrls } from '../storage/request-urls.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient, ContainerClients, JobAnswer } from './client.ts';
import type { ContainerSlot } from './container-slot.ts';
import { ConnectionLost, ContainerAnswer, OtherMachine } from './errors.ts';
import type { PackageKeys } from './resolve-encryption.ts';
import type { HeaderVariables } from './resolve-headers.ts';

export interface ContainerJobRequest {
  kind: JobKind;
  /** Asked anew for each request, so that what it presigns is fresh. */
  body(urls: RequestUrls): Promise<unknown>;
}

/** What an attempt submits its job with. */
export interface SubmitDependencies {
  slot: ContainerSlot;
  clients: ContainerClients;
  stores: Stores;
  headerVariables: HeaderVariables;
  packageKeys: PackageKeys;
}

/** How long a request that is under way when the attempt is cancelled may still tell us its job, so that we can end it. */
const acceptGraceMs = 3_000;

/** Submits the job at the container whose slot we have; or finds it where an earlier request may have arrived. */
export async function submitJob(
  request: ContainerJobRequest,
  attempt: Attempt,
  { slot, clients, stores }: SubmitDependencies,
): Promise<Submission> {
  const urls = new RequestUrls(stores);
  const body = await request.body(urls);
  attempt.urlsExpireAtMs = urls.expireAtMs;
  const turn = await slot.claim(attempt.signal);
  if (turn === 'turned_away') return { kind: 'turned_away', state: attempt.state };
  const submit = async (place: ContainerPlace, client = clients(place)): Promise<Submission> => {
    const { idempotencyKey, signal } = attempt;
    const answer = await sendRequest(client, { ...request, body, lease: turn.lease, idempotencyKey }, signal);
    return submissionOf(answer, place, urls, attempt);
  };

  const { asked } = attempt.state;
  if (asked !== undefined && asked.containerUrl !== slot.place.containerUrl) {
    // It knows nothing of our lease: it joins a job that it has, and starts none.
    const found = await submit(asked).catch((error: unknown) => {
      const isNotThere =
        error instanceof ConnectionLost || error instanceof ContainerAnswer || error instanceof OtherMachine;
      if (!isNotThere) throw error;
    });
    if (found !== undefined) return found;
  }
  attempt.setAsked(slot.place);
  // If this worker dies before the answer comes, the next one asks there first.
  await attempt.confirm();
  try {
    return await submit(slot.place, slot.client);
  } catch (error) {
    const nothingStarted =
      error instanceof ContainerAnswer || (error instanceof ConnectionLost && !error.mayHaveArrived);
    if (nothingStarted) attempt.setAsked(undefined);
    if (error instanceof ContainerAnswer && error.facts.code === 'lease_ended') {
      return { kind: 'turned_away', state: attempt.state };
    }
    throw error;
  }
}

/** Waits a little for the answer when the attempt is cancelled, so that a job that was accepted can be ended. */
export async function sendRequest(
  client: ContainerClient,
  request: Parameters<ContainerClient['submit']>[0],
  signal: AbortSignal,
): Promise<JobAnswer> {
  const grace = delayAbort(signal, acceptGraceMs);
  try {
    return await client.submit(request, grace.signal);
  } finally {
    grace.end();
  }
}

function submissionOf(answer: JobAnswer, place: ContainerPlace, urls: RequestUrls, attempt: Attempt): Submission {
  attempt.setAsked(undefined);
  if (answer.kind === 'finished') return { kind: 'finished', state: attempt.state, result: answer.result };
  const { jobId, instanceId } = answer;
  const location = { ...place, jobId, ...(instanceId !== undefined && { instanceId }) };
  attempt.setLocation(location);
  const { expireAtMs } = urls;
  return {
    ...{ kind: 'accepted', state: attempt.state, ranMs: attempt.ranMs() },
    job: { location, ...(expireAtMs !== undefined && { urlsExpireAtMs: expireAtMs }) },
  };
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
