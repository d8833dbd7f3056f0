import { realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { isFileRefusal } from '../../contract/file-refusal.ts';
import { isInside, pathOfFileUrl } from '../../contract/file-url.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { diskFault, type DiskFaultCode } from './disk-fault.ts';

export type LocatedFile = { kind: 'inside'; path: string } | { kind: 'refused'; reason: string } | { kind: 'missing' };

function isMissing(error: unknown): boolean {
  return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
}

/** Real path of an existing file under the media root, with links resolved. */
export async function locateSource(url: URL, mediaRoot: string | undefined): Promise<LocatedFile> {
  if (mediaRoot === undefined) return { kind: 'refused', reason: 'file: URLs are refused because MEDIA_ROOT is unset' };
  const path = pathOfFileUrl(url);
  if (path === undefined) return { kind: 'refused', reason: 'it is not a plain path' };
  try {
    const real = await realpath(path);
    return isInside(mediaRoot, real)
      ? { kind: 'inside', path: real }
      : { kind: 'refused', reason: 'it is outside MEDIA_ROOT' };
  } catch (error) {
    if (!isMissing(error) && !isFileRefusal(error)) throw diskFault('source_unavailable', url, error);
    // A caller must not learn which files exist outside.
    if (!isInside(mediaRoot, path)) return { kind: 'refused', reason: 'it is outside MEDIA_ROOT' };
    return isMissing(error)
      ? { kind: 'missing' }
      : { kind: 'refused', reason: `it cannot be read (${errnoOf(error)})` };
  }
}

/**
 * Path of a file that may be written: its nearest existing folder, with links resolved, is under the media root.
 * `faultCode`: code of a disk that cannot be reached.
 */
export async function locateTarget(
  url: URL,
  mediaRoot: string | undefined,
  faultCode: DiskFaultCode = 'upload_failed',
): Promise<LocatedFile> {
  if (mediaRoot === undefined) return { kind: 'refused', reason: 'file: URLs are refused because MEDIA_ROOT is unset' };
  const path = pathOfFileUrl(url);
  if (path === undefined || basename(path) === '' || path.endsWith(sep)) {
    return { kind: 'refused', reason: 'it does not name a file' };
  }
  const missing: string[] = [];
  let folder = dirname(path);
  for (;;) {
    try {
      const real = await realpath(folder);
      return real === mediaRoot || isInside(mediaRoot, real)
        ? { kind: 'inside', path: join(real, ...missing, basename(path)) }
        : { kind: 'refused', reason: 'it is outside MEDIA_ROOT' };
    } catch (error) {
      if (!isMissing(error) && isFileRefusal(error)) {
        return { kind: 'refused', reason: `it cannot be reached (${errnoOf(error)})` };
      }
      if (!isMissing(error) || folder === dirname(folder)) throw diskFault(faultCode, url, error);
      missing.unshift(basename(folder));
      folder = dirname(folder);
    }
  }
}
