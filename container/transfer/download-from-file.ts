import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { locateSource } from './file-url.ts';
import { tryLink } from './hard-link.ts';
import { saveSource, tooLarge, type DownloadOptions } from './save-source.ts';

/** A `file:` source: a hard link where the disk allows it, else a copy. */
export async function downloadFromFile(url: URL, target: string, options: DownloadOptions): Promise<void> {
  const located = await locateSource(url, options.mediaRoot);
  switch (located.kind) {
    case 'refused':
      throw new ServiceError(
        'source_forbidden',
        `The source ${redactUrlAndFolder(url.href)} may not be read: ${located.reason}.`,
      );
    case 'missing':
      throw new ServiceError('source_not_found', `The source ${redactUrlAndFolder(url.href)} does not exist.`);
    case 'inside':
  }
  const facts = await stat(located.path);
  if (!facts.isFile())
    throw new ServiceError('source_forbidden', `The source ${redactUrlAndFolder(url.href)} is not a plain file.`);
  if (facts.size > options.maxBytes) throw tooLarge(url, options.maxBytes);
  if (options.sha256 === undefined && (await tryLink(located.path, target))) {
    options.onProgress(facts.size, facts.size);
    return;
  }
  await options.room.claim(facts.size);
  await saveSource(createReadStream(located.path), target, url, facts.size, options);
}
