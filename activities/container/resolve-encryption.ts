import { failureType } from '../../contract/error-codes.ts';
import type { ContainerEncryption } from '../../contract/http/encryption.ts';
import type { WorkflowEncryption } from '../../contract/workflow/encryption.ts';
import type { RequestUrls } from '../storage/request-urls.ts';
import { finalFailure } from '../final-failure.ts';
import { type HeaderVariables, resolveHeaders } from './resolve-headers.ts';

/** The worker's package keys by name in capitals. */
export type PackageKeys = ReadonlyMap<string, string>;

export const packageKeyPrefix = 'PACKAGE_KEY_';

/** Resolves `encryption` of an output: adds its key, or a key URL that the container can read. */
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
  throw finalFailure(
    failureType('invalid_request'),
    `An output's encryption names the key "${name}", but this worker has no ${packageKeyPrefix}${name.toUpperCase()}`,
  );
}
