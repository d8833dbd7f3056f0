import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { diskFault } from './disk-fault.ts';
import { locateSource } from './file-url.ts';
import { tryLink } from './hard-link.ts';
import { saveSource, tooLarge, type DownloadOptions } from './save-source.ts';

interface SourceFile {
  path: string;
  size: number;
  identity: SourceIdentity;
}

/** Throws if the URL names no readable file. */
export async function locateFile(url: URL, mediaRoot: string | undefined): Promise<SourceFile> {
  const located = await locateSource(url, mediaRoot);
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
  const facts = await stat(located.path).catch((error: unknown) => {
    throw diskFault('source_unavailable', url, error);
  });
  if (!facts.isFile())
    throw new ServiceError('source_forbidden', `The source ${redactUrlAndFolder(url.href)} is not a plain file.`);
  const { size, mtimeMs } = facts;
  return { path: located.path, size, identity: { size, validator: `modified ${Math.floor(mtimeMs)}` } };
}

/** Fetches a `file:` source by a hard link if the disk allows it, otherwise by a copy. */
export async function downloadFromFile(url: URL, target: string, options: DownloadOptions): Promise<SourceIdentity> {
  const { path, size, identity } = await locateFile(url, options.mediaRoot);
  if (size > options.maxBytes) throw tooLarge(url, options.maxBytes);
  try {
    if (options.sha256 === undefined && (await tryLink(path, target))) {
      options.onProgress(size, size);
      return identity;
    }
    await options.room.claim(size);
    await saveSource(createReadStream(path), target, url, size, options);
    return identity;
  } catch (error) {
    throw isWrite(error) ? error : diskFault('source_unavailable', url, error);
  }
}

/** Only the scratch disk is written to. */
function isWrite(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'write';
}
