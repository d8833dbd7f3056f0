import type { ContainerPlace, Submission } from '../../contract/activity.ts';
import type { JobKind } from '../../contract/http/job.ts';
import type { Stores } from '../../stores/backends.ts';
import type { Secrets } from '../secrets.ts';
import { RequestUrls } from '../storage/request-urls.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient, ContainerClients, JobAnswer } from './client.ts';
import type { ContainerSlot } from './container-slot.ts';
import { ConnectionLost, ContainerAnswer, isUnreachable } from './errors.ts';

export interface ContainerJobRequest {
  kind: JobKind;
  /** Distinguishes a corrected request of the step, because a container refuses another body under the same key. */
  keySuffix?: string;
  /** Called for each request, so that presigned URLs are fresh. */
  body(urls: RequestUrls): Promise<unknown>;
}

export interface SubmitDependencies {
  slot: ContainerSlot;
  clients: ContainerClients;
  stores: Stores;
  headerVariables: Secrets;
  packageKeys: Secrets;
}

/** After a cancellation, a pending request has this long to name its job, so that the job can be cancelled. */
const acceptGraceMs = 3_000;

/** Submits the job to the container of the slot, or finds it where an earlier request may have arrived. */
export async function submitJob(
  request: ContainerJobRequest,
  attempt: Attempt,
  { slot, clients, stores }: SubmitDependencies,
): Promise<Submission> {
  const urls = new RequestUrls(stores, attempt.run);
  const body = await request.body(urls);
  attempt.signed = urls.signed;
  const turn = await slot.claim(attempt.signal);
  if (turn === 'turned_away') return { kind: 'turned_away', state: attempt.state };
  const submit = async (place: ContainerPlace, client = clients(place)): Promise<Submission> => {
    const idempotencyKey = attempt.idempotencyKey + (request.keySuffix ?? '');
    const asked = { kind: request.kind, body, lease: turn.lease, idempotencyKey };
    const answer = await sendRequest(client, asked, attempt.signal);
    return submissionOf(answer, place, urls, attempt);
  };

  const { asked } = attempt.state;
  if (asked !== undefined && asked.containerUrl !== slot.place.containerUrl) {
    // That container does not know the lease: it only joins an existing job and starts none.
    const found = await submit(asked).catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
    });
    if (found !== undefined) return found;
  }
  attempt.set({ asked: slot.place });
  // If this worker dies before the answer, the next one asks this container first.
  await attempt.confirm();
  try {
    return await submit(slot.place, slot.client);
  } catch (error) {
    const nothingStarted =
      error instanceof ContainerAnswer || (error instanceof ConnectionLost && !error.mayHaveArrived);
    if (nothingStarted) attempt.set({ asked: undefined });
    if (error instanceof ContainerAnswer && error.facts.code === 'lease_ended') {
      return { kind: 'turned_away', state: attempt.state };
    }
    throw error;
  }
}

/** Delays a cancellation briefly, so that a job accepted meanwhile can be cancelled. */
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
  attempt.set({ asked: undefined });
  if (answer.kind === 'finished') return { kind: 'finished', state: attempt.state, result: answer.result };
  const location = { ...place, ...answer.job };
  const { signed } = urls;
  attempt.set({ location, signed });
  return {
    kind: 'accepted',
    state: attempt.state,
    ranMs: attempt.ranMs(),
    job: { location, ...(signed !== undefined && { signed }) },
  };
}

/** Returns a signal that aborts `ms` after the given one. */
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
