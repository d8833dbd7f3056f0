import { request, type Dispatcher } from 'undici';
import { redactUrl } from '../../contract/shown-url.ts';
import { isFileUrl } from '../../contract/url-scheme.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import type { Logger } from 'pino';
import type { DeliveryTarget } from './delivery-target.ts';
import { removeStored } from './remove-stored.ts';
import { targetPath } from './upload-target.ts';
import type { StoredFile } from './upload-to-file.ts';

/** A cancelled job frees its slot within five seconds. */
const answerTimeoutMs = 3_000;

interface DiscardDeps {
  dispatcher: Dispatcher;
  mediaRoot: string | undefined;
  log: Logger;
}

/**
 * Removes a file that a failed job has stored. It tries once and before the job ends: later the file might belong to
 * the job's next attempt. The file stays if its URL only takes a PUT, or if it may belong to another job by now. A file
 * that replaced another one stays, too: another job may have stored that one and succeeded.
 */
export async function discardFile(
  target: DeliveryTarget,
  { stored, mayBeReplaced }: { stored: StoredFile | undefined; mayBeReplaced: boolean },
  { dispatcher, mediaRoot, log }: DiscardDeps,
): Promise<void> {
  const url = target.kind === 'single' && isFileUrl(target.url) ? target.url : target.deleteUrl;
  if (url === undefined) return;
  try {
    if (isFileUrl(url)) {
      if (stored === undefined || stored.hasReplaced) return;
      return await removeStored(await targetPath(new URL(url), mediaRoot), stored.identity);
    }
    // A store cannot tell the files of two jobs apart: they may have the same bytes.
    if (mayBeReplaced) return;
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const answer = await request(url, { method: 'DELETE', dispatcher, headers: { 'user-agent': 'holdfast' }, signal });
    await answer.body.dump();
    if (answer.statusCode >= 300 && answer.statusCode !== 404) throw new Error(`HTTP ${answer.statusCode}`);
  } catch (error) {
    const problem = messageOf(error);
    log.warn({ url: redactUrl(url), problem }, 'A file of a job that ended without success could not be removed');
  }
}
