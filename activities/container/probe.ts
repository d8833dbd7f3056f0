import type { ChunkActivityInput, JobLocation, ProbedSource } from '../../contract/activity.ts';
import type { JobResult } from '../../contract/http/job.ts';
import type { MetadataRequest, MetadataResult } from '../../contract/http/metadata.ts';
import { RequestUrls } from '../storage/request-urls.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClients } from './client.ts';
import type { ContainerSlot } from './container-slot.ts';
import { isUnreachable, JobLost, UnexpectedReply } from './errors.ts';
import { answerOfJob } from './failures.ts';
import { type EndedJob, untilJobEnded } from './job-end.ts';
import { resolveHeaders } from './resolve-headers.ts';
import { sendRequest, type SubmitDependencies } from './submit-job.ts';

type Source = Pick<ChunkActivityInput, 'sourceUrl' | 'headers'>;

/** Duration and codec of a source. A job inspects the source once per step and outlives the worker that started it. */
export async function probeSource(
  source: Source,
  attempt: Attempt,
  dependencies: SubmitDependencies,
): Promise<ProbedSource> {
  const { probed, probing } = attempt.state;
  if (probed !== undefined) return probed;
  const joined = probing === undefined ? undefined : await joinProbe(probing, attempt, dependencies.clients);
  const { duration, streams } =
    joined === undefined
      ? await inspectSource(source, dependencies.slot, attempt, dependencies)
      : metadataIn(resultOf(joined));
  const codec = streams.find((stream) => stream.type === 'audio')?.codec ?? '';
  const facts = { durationSeconds: duration, codec };
  attempt.set({ probed: facts });
  return facts;
}

/** Undefined if the job cannot be found. Another job starts then, and the end of the run cancels the old one. */
async function joinProbe(
  location: JobLocation,
  attempt: Attempt,
  clients: ContainerClients,
): Promise<EndedJob | undefined> {
  attempt.signed = attempt.state.signed;
  try {
    return await untilProbed(location, attempt, clients);
  } catch (error) {
    if (!isUnreachable(error) && !(error instanceof JobLost)) throw error;
    attempt.set({ probing: undefined });
    if (isUnreachable(error)) attempt.set({ former: [...(attempt.state.former ?? []), location] });
    return undefined;
  }
}

/** Inspects the source by a separate job, which needs no slot. */
export async function inspectSource(
  source: Source,
  container: Pick<ContainerSlot, 'client' | 'place'>,
  attempt: Attempt,
  { clients, ...resolving }: Pick<SubmitDependencies, 'clients' | 'stores' | 'headerVariables'>,
): Promise<MetadataResult> {
  const body = await requestAbout(source, attempt, resolving);
  const idempotencyKey = `${attempt.idempotencyKey}:metadata`;
  const request = { kind: 'metadata', body, idempotencyKey, lease: undefined } as const;
  const answer = await sendRequest(container.client, request, attempt.signal);
  if (answer.kind === 'finished') return metadataIn(answer.result);
  const location = { ...container.place, ...answer.job };
  attempt.set({ probing: location, signed: attempt.signed });
  // If this worker dies, the next one re-attaches to the job.
  await attempt.confirm();
  return metadataIn(resultOf(await untilProbed(location, attempt, clients)));
}

/** Request about a source alone. The attempt keeps the URLs that were signed for it. */
export async function requestAbout(
  { sourceUrl, headers }: Source,
  attempt: Attempt,
  { stores, headerVariables }: Pick<SubmitDependencies, 'stores' | 'headerVariables'>,
): Promise<MetadataRequest> {
  const urls = new RequestUrls(stores, attempt.run);
  const body = {
    sourceUrl: await urls.resolveSource(sourceUrl),
    ...resolveHeaders(headers, sourceUrl, { headerVariables, requester: attempt.requester }),
  };
  attempt.signed = urls.signed;
  return body;
}

function metadataIn(result: JobResult): MetadataResult {
  if ('streams' in result) return result;
  throw new UnexpectedReply('The container answered a metadata request with the result of another job');
}

async function untilProbed(location: JobLocation, attempt: Attempt, clients: ContainerClients): Promise<EndedJob> {
  const job = { container: clients(location), location, attempt };
  const ended = await untilJobEnded({ ...job, onView: (view) => attempt.noteAdvance(view) });
  attempt.set({ probing: undefined });
  return ended;
}

function resultOf(ended: EndedJob): JobResult {
  if (ended.state === 'succeeded') return ended.result;
  throw answerOfJob(ended.state, ended.error);
}
