import type { SourceIdentity } from '../../contract/http/source.ts';
import { locateFile } from './download-from-file.ts';
import { discard, requestSource } from './request-source.ts';
import type { DownloadOptions } from './save-source.ts';
import { identityOf, versionOf } from './source-answer.ts';

/** Identifies a source without downloading it. */
export async function identifySource(
  url: URL,
  options: Pick<DownloadOptions, 'dispatcher' | 'mediaRoot' | 'headers' | 'signal'>,
): Promise<SourceIdentity> {
  if (url.protocol === 'file:') return (await locateFile(url, options.mediaRoot)).identity;
  const answer = await requestSource(url, options);
  discard(answer.body);
  return identityOf(versionOf(answer.headers));
}
