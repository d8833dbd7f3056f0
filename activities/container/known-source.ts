import type { ChunkActivityInput } from '../../contract/activity.ts';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { isSameSource } from '../../contract/same-source.ts';
import type { Attempt } from './attempt.ts';
import { requestAbout } from './probe.ts';
import type { SubmitDependencies } from './submit-job.ts';

/**
 * Whether the source is unchanged. A checksum that the earlier run verified is trusted; a checksum that it did not verify
 * needs a job.
 */
export async function isKnownSource(
  { sourceSha256, ...source }: Pick<ChunkActivityInput, 'sourceUrl' | 'headers' | 'sourceSha256'>,
  known: SourceIdentity,
  attempt: Attempt,
  { slot, ...resolving }: SubmitDependencies,
): Promise<boolean> {
  if (sourceSha256 !== undefined) return isSameSource({ sha256: sourceSha256 }, { sha256: known.sha256 });
  if (known.validator === undefined) return false;
  const body = await requestAbout(source, attempt, resolving);
  return isSameSource(await slot.client.source(body, attempt.signal), known);
}
