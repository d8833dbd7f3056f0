import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { isFileRefusal } from '../../contract/file-refusal.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { ServiceError } from '../errors.ts';
import {
  AddressNotAllowedError,
  guardedLookup,
  isAddressAllowed,
  isPortAllowed,
  type AllowedAddresses,
} from '../../network/address-guard.ts';
import { diskFault } from './disk-fault.ts';
import { locateTarget } from './file-url.ts';

export async function targetPath(url: URL, mediaRoot: string | undefined): Promise<string> {
  const located = await locateTarget(url, mediaRoot);
  if (located.kind === 'inside') return located.path;
  const reason = located.kind === 'refused' ? located.reason : 'its folder does not exist';
  throw new ServiceError(
    'upload_forbidden',
    `The upload to ${redactUrlAndFolder(url.href)} is not allowed: ${reason}.`,
  );
}

export function addressForbidden(host: string): ServiceError {
  return new ServiceError(
    'upload_forbidden',
    `The upload's host ${host} is an internal address, which is not allowed.`,
  );
}

/** Names an error of the disk; returns other errors. */
export function cannotWrite(url: URL, error: unknown): unknown {
  if (!isFileRefusal(error)) return diskFault('upload_failed', url, error);
  const errno = errnoOf(error);
  return new ServiceError('upload_refused', `The file ${redactUrlAndFolder(url.href)} cannot be written (${errno}).`, {
    details: { errno },
    cause: error,
  });
}

/** Checks the target early; it may change during hours of encoding. Missing folders will be made. */
async function checkFileTarget(url: URL, mediaRoot: string | undefined): Promise<void> {
  const path = await targetPath(url, mediaRoot);
  try {
    const found = await lstat(path).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
      return undefined;
    });
    if (found?.isDirectory() === true) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    await checkFolderTakesFiles(dirname(path));
  } catch (error) {
    throw cannotWrite(url, error);
  }
}

async function checkFolderTakesFiles(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || folder === dirname(folder)) throw error;
    await checkFolderTakesFiles(dirname(folder));
  }
}

/** Looks up the hosts. A name that cannot be resolved now may be known when the upload starts. */
export async function checkUploadHosts(
  hosts: Iterable<string>,
  allowedAddresses: AllowedAddresses,
  signal: AbortSignal,
): Promise<void> {
  const lookUp = promisify(guardedLookup(allowedAddresses));
  await unlessAborted(signal, async () => {
    for (const host of hosts) {
      if (signal.aborted) return;
      if (isIP(host) !== 0) continue;
      await lookUp(host, { all: true }).catch((error: unknown) => {
        if (error instanceof AddressNotAllowedError) throw addressForbidden(host);
      });
    }
  });
}

/** A look-up cannot be stopped and takes many seconds without a name server; this ends the wait for it. */
async function unlessAborted(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Throws if the store is sure to refuse an upload, so that nothing is encoded for it. Returns the host to look up. */
export async function checkUploadUrl(
  uploadUrl: string,
  mediaRoot: string | undefined,
  allowedAddresses: AllowedAddresses,
): Promise<string | undefined> {
  const url = new URL(uploadUrl);
  if (url.protocol === 'file:') {
    await checkFileTarget(url, mediaRoot);
    return undefined;
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError('upload_forbidden', 'An upload URL may not carry a user name or password.');
  }
  if (isPortAllowed(url, allowedAddresses)) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAddressAllowed(host, allowedAddresses)) throw addressForbidden(host);
  return host;
}
