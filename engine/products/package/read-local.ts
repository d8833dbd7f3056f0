import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { errnoOf } from '../../../contract/unknown-values.ts';
import type { Resource } from './media-playlist.ts';
import { UnreadableResource } from './unreadable-resource.ts';

/** Maximum size of a file that is read at once; no segment or playlist is larger. */
const mostBytes = 2 ** 30;

/** System errors, each as the rest of a sentence. */
const complaints: Partial<Record<string, string>> = {
  ENOENT: 'is missing',
  ENOTDIR: 'is missing',
  EISDIR: 'is a folder',
  EACCES: 'may not be read',
  ERR_INVALID_FILE_URL_PATH: 'has a name that no file can have',
  ERR_INVALID_ARG_VALUE: 'has a name that no file can have',
};

/** Reads a file of a package on this machine, or a part of it. */
export async function readLocal({ uri, range }: Resource): Promise<Buffer> {
  const url = URL.parse(uri);
  if (url?.protocol !== 'file:') throw new UnreadableResource('is on another machine');
  try {
    // Without O_NONBLOCK, opening a named pipe would block forever.
    await using file = await open(fileURLToPath(url), constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile() && !stats.isDirectory()) throw new UnreadableResource('is no file');
    const { size } = stats;
    const { offset, length } = range ?? { offset: 0, length: size };
    if (length > mostBytes) throw new UnreadableResource('has more than a GiB');
    if (offset + length > size) throw new UnreadableResource('goes beyond the end of its file');
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    const complaint = complaints[errnoOf(error) ?? ''];
    if (complaint !== undefined) throw new UnreadableResource(complaint);
    throw error;
  }
}
