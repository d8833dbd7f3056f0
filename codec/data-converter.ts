import { fileURLToPath } from 'node:url';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import type { PayloadKeys } from './payload-keys.ts';

export const failureConverterPath = fileURLToPath(new URL('failure-converter.ts', import.meta.url));

/** Converter for clients and workers that encrypts everything they send to Temporal; undefined without keys. */
export function createDataConverter(keys: PayloadKeys | undefined): DataConverter | undefined {
  return keys === undefined ? undefined : { payloadCodecs: [lazyCodec(keys)], failureConverterPath };
}

/** Loads the codec for the first payload: most processes have no keys, and its packages take 0.1 s to load. */
function lazyCodec(keys: PayloadKeys): PayloadCodec {
  let loading: Promise<PayloadCodec> | undefined;
  const codec = () =>
    (loading ??= import('./encryption-codec.ts').then(({ EncryptionCodec }) => new EncryptionCodec(keys)));
  return {
    encode: async (payloads) => await (await codec()).encode(payloads),
    decode: async (payloads) => await (await codec()).decode(payloads),
  };
}
