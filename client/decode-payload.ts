import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';

/** Decodes a payload that the SDK does not decode itself, for example one in a history. */
export async function decodePayload(client: Client, payload: Payload | null | undefined): Promise<unknown> {
  if (payload === undefined || payload === null) return undefined;
  const { payloadConverter, payloadCodecs } = client.options.loadedDataConverter;
  let decoded = [payload];
  for (const codec of payloadCodecs.toReversed()) decoded = await codec.decode(decoded);
  const [first] = decoded;
  return first === undefined ? undefined : payloadConverter.fromPayload(first);
}
