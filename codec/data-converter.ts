import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { EncryptionCodec } from './encryption-codec.ts';
import type { PayloadKeys } from './payload-keys.ts';

export const failureConverterPath = fileURLToPath(new URL('failure-converter.ts', import.meta.url));

/** Converter for clients and workers that encrypts everything they send to Temporal; undefined without keys. */
export function createDataConverter(keys: PayloadKeys | undefined): DataConverter | undefined {
  return keys === undefined ? undefined : { payloadCodecs: [new EncryptionCodec(keys)], failureConverterPath };
}
