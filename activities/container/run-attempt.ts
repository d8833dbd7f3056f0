import type { AttemptContext, SignedUrls } from '../../contract/activity.ts';
import { isCredentialRefusal } from '../../contract/store-answer.ts';
import { isTakenOver } from '../confirm-activity.ts';
import { Attempt } from './attempt.ts';
import { endJobsOfEndedRun, endUnwantedJobs, handleAbort } from './handle-abort.ts';
import type { ContainerClients } from './client.ts';
import { ContainerAnswer } from './errors.ts';
import { attemptFailure, credentialsFailure } from './failures.ts';

/** Runs an activity of an attempt: restores the earlier state and ends with a result or one named failure. */
export async function runAttempt<Result>(
  context: AttemptContext,
  clients: ContainerClients,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const attempt = new Attempt(context);
  attempt.startHeartbeats();
  try {
    const result = await work(attempt);
    await endUnwantedJobs(attempt, clients);
    return result;
  } catch (error) {
    // Checked first, because an abort makes requests fail like a lost connection.
    if (attempt.signal.aborted) throw await handleAbort(attempt, clients);
    if (isTakenOver(error)) await endJobsOfEndedRun(attempt, clients);
    if (error instanceof ContainerAnswer && error.cancelled) await attempt.cancelWorkflow();
    const expireAtMs = error instanceof ContainerAnswer ? expiryOf(error, attempt.signed ?? {}) : undefined;
    const usage = error instanceof ContainerAnswer ? error.facts.usage : undefined;
    const failed = {
      ranMs: attempt.ranMs(),
      state: attempt.state,
      ...(attempt.advanced && { advanced: true }),
      ...(usage !== undefined && { usage }),
      ...(isExpiredSignature(error, expireAtMs, Date.now()) && { resubmit: true }),
    };
    if (
      error instanceof ContainerAnswer &&
      expireAtMs !== undefined &&
      isCredentialRefusal(error.facts.details?.['storeCode'])
    )
      throw credentialsFailure(error.message, failed);
    throw attemptFailure(error, failed);
  } finally {
    await attempt.stop();
  }
}

const expirableCodes = new Set(['upload_refused', 'source_not_found']);

/** Expiry of the URLs that the error may concern, if Holdfast has signed them. It cannot renew the caller's URLs. */
function expiryOf({ message, facts }: ContainerAnswer, signed: SignedUrls): number | undefined {
  const { code, details } = facts;
  const { readsExpireAtMs, linksExpireAtMs, writesExpireAtMs } = signed;
  if (code?.startsWith('upload_') === true) return writesExpireAtMs;
  if (details?.['field'] !== undefined) return linksExpireAtMs;
  // Containers of older versions name a segment only in the message. Workers of older versions counted segments as reads.
  return /^(?:Segment \d|The sound of the segments )/.test(message)
    ? (linksExpireAtMs ?? readsExpireAtMs)
    : readsExpireAtMs;
}

/** Whether a URL that Holdfast presigned has expired. */
function isExpiredSignature(error: unknown, urlsExpireAtMs: number | undefined, nowMs: number): boolean {
  if (!(error instanceof ContainerAnswer) || urlsExpireAtMs === undefined) return false;
  const { code, details } = error.facts;
  if (!expirableCodes.has(code ?? '')) return false;
  return nowMs >= urlsExpireAtMs || /expired/i.test(String(details?.['storeCode']));
}
