import type { ChunkActivityInput, ProbedSource } from '../../contract/activity.ts';
import type { Attempt } from './attempt.ts';
import { RequestUrls } from '../storage/presign.ts';
import { resolveHeaders } from './resolve-headers.ts';
import type { AttemptDependencies } from './run-container-job.ts';

/** A third of the heartbeat timeout that the workflows give. */
const heartbeatIntervalMs = 6_000;

/** Duration and codec of a source, asked for once in all attempts of a step. */
export async function probeSource(
  { sourceUrl, headers }: Pick<ChunkActivityInput, 'sourceUrl' | 'headers'>,
  attempt: Attempt,
  { own, presigner, headerVariables }: AttemptDependencies,
): Promise<ProbedSource> {
  if (attempt.state.probed !== undefined) return attempt.state.probed;
  const body = {
    sourceUrl: await new RequestUrls(presigner).resolveSource(sourceUrl),
    ...resolveHeaders(headers, headerVariables),
  };
  // `/metadata` reports no progress. A timer cannot hide a hung probe here, since the request has a timeout of its own.
  const heartbeats = setInterval(() => attempt.heartbeat(), heartbeatIntervalMs);
  try {
    const { duration, streams } = await own.metadata(body, attempt.signal);
    const codec = streams.find((stream) => stream.type === 'audio')?.codec ?? '';
    const probed = { durationSeconds: duration, codec };
    attempt.state = { ...attempt.state, probed };
    return probed;
  } finally {
    clearInterval(heartbeats);
  }
}
