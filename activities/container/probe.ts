import type { ChunkActivityInput, ProbedSource } from '../../contract/activity.ts';
import type { Attempt } from './attempt.ts';
import { RequestUrls } from '../storage/presign.ts';
import { resolveHeaders } from './resolve-headers.ts';
import type { SubmitDependencies } from './submit-job.ts';

/** Duration and codec of a source, asked for once in all attempts of a step. */
export async function probeSource(
  { sourceUrl, headers }: Pick<ChunkActivityInput, 'sourceUrl' | 'headers'>,
  attempt: Attempt,
  { slot, presigner, headerVariables }: SubmitDependencies,
): Promise<ProbedSource> {
  if (attempt.state.probed !== undefined) return attempt.state.probed;
  const body = {
    sourceUrl: await new RequestUrls(presigner).resolveSource(sourceUrl),
    ...resolveHeaders(headers, headerVariables),
  };
  const { duration, streams } = await slot.client.metadata(body, attempt.signal);
  const codec = streams.find((stream) => stream.type === 'audio')?.codec ?? '';
  const probed = { durationSeconds: duration, codec };
  attempt.state = { ...attempt.state, probed };
  return probed;
}
