import type { ProbedSource } from '../../contract/activity.ts';
import type { Attempt } from './attempt.ts';
import { RequestUrls } from '../storage/presign.ts';
import type { Containers } from './run-container-job.ts';

/** A third of the heartbeat timeout that the workflows give. */
const heartbeatIntervalMs = 6_000;

/** Duration and codec of a source, asked once for all attempts of a step. */
export async function probedSource(
  sourceUrl: string,
  attempt: Attempt,
  { own, presigner }: Containers,
): Promise<ProbedSource> {
  if (attempt.carry.probed !== undefined) return attempt.carry.probed;
  const body = { sourceUrl: await new RequestUrls(presigner).source(sourceUrl) };
  // `/metadata` tells no progress. This is no hung ffmpeg made to look alive: the request itself ends after its time.
  const beats = setInterval(() => attempt.heartbeat(), heartbeatIntervalMs);
  try {
    const { duration, streams } = await own.metadata(body, attempt.signal);
    const codec = streams.find((stream) => stream.type === 'audio')?.codec ?? '';
    attempt.carry = { ...attempt.carry, probed: { durationSeconds: duration, codec } };
    return { durationSeconds: duration, codec };
  } finally {
    clearInterval(beats);
  }
}
