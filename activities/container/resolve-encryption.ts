import { ApplicationFailure } from '@temporalio/common';
import { failureType } from '../../contract/error-codes.ts';
import type { ContainerEncryption } from '../../contract/http/encryption.ts';
import type { WorkflowEncryption } from '../../contract/workflow/encryption.ts';
import type { RequestUrls } from '../storage/request-urls.ts';
import { type HeaderVariables, resolveHeaders } from './resolve-headers.ts';

/** The worker's keys of packages, by their names in capitals. */
export type PackageKeys = ReadonlyMap<string, string>;

/** Of the workers. */
export const packageKeyPrefix = 'PACKAGE_KEY_';

/** The field `encryption` of an output with its key, or with what the container can read it by; nothing where none was given. */
export async function resolveEncryption(
  encryption: WorkflowEncryption | undefined,
  urls: RequestUrls,
  { headerVariables, packageKeys }: { headerVariables: HeaderVariables; packageKeys: PackageKeys },
): Promise<{ encryption?: ContainerEncryption }> {
  if (encryption === undefined) return {};
  const { key: name, keyUrl, headers, ...rest } = encryption;
  if (name === undefined) {
    const link = keyUrl === undefined ? {} : { keyUrl: await urls.resolveSource(keyUrl) };
    return { encryption: { ...rest, ...link, ...resolveHeaders(headers, headerVariables) } };
  }
  const key = packageKeys.get(name.toUpperCase());
  if (key !== undefined) return { encryption: { ...rest, key } };
  throw ApplicationFailure.create({
    type: failureType('invalid_request'),
    message: `The encryption of an output names the key "${name}", and this worker has no ${packageKeyPrefix}${name.toUpperCase()}`,
    nonRetryable: true,
    category: 'BENIGN',
  });
}
