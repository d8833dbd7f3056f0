import { failureType } from '../../contract/error-codes.ts';
import type { ContainerEncryption } from '../../contract/http/encryption.ts';
import type { WorkflowEncryption } from '../../contract/workflow/encryption.ts';
import type { RequestUrls } from '../storage/request-urls.ts';
import { finalFailure } from '../final-failure.ts';
import { findSecret, type Secrets } from '../secrets.ts';
import { type HeaderSecrets, resolveHeaders } from './resolve-headers.ts';

/** Resolves `encryption` of an output: adds its key, or a key URL that the container can read. */
export async function resolveEncryption(
  encryption: WorkflowEncryption | undefined,
  urls: RequestUrls,
  /** `packageKeys`: the worker's keys by name in capitals. */
  secrets: HeaderSecrets & { packageKeys: Secrets },
): Promise<{ encryption?: ContainerEncryption }> {
  if (encryption === undefined) return {};
  const { key: name, keyUrl, headers, ...rest } = encryption;
  if (name === undefined) {
    if (keyUrl === undefined) return { encryption: rest };
    return {
      encryption: {
        ...rest,
        keyUrl: await urls.resolveSource(keyUrl),
        ...resolveHeaders(headers, keyUrl, secrets),
      },
    };
  }
  const variable = name.toUpperCase();
  const key = findSecret(secrets.packageKeys, variable, { requester: secrets.requester });
  if (key !== undefined) return { encryption: { ...rest, key } };
  throw finalFailure(
    failureType('invalid_request'),
    `An output's encryption names the key "${name}", but this worker has no PACKAGE_KEY_${variable} for this run`,
  );
}
