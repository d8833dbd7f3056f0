import { isIP } from 'node:net';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { isAddressAllowed, type AllowedAddresses } from './address-guard.ts';
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

/** Throws where an upload is sure to be refused, so that nothing is encoded for it. */
export async function checkUploadUrl(
  uploadUrl: string,
  mediaRoot: string | undefined,
  allowedAddresses: AllowedAddresses,
): Promise<void> {
  const url = new URL(uploadUrl);
  if (url.protocol === 'file:') {
    await targetPath(url, mediaRoot);
    return;
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError('upload_forbidden', 'An upload URL may not carry a user name or password.');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAddressAllowed(host, allowedAddresses)) throw addressForbidden(host);
}
