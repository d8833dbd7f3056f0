import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';

/** A payload that came past the SDK's own decoding, such as one of a history; undefined where there is none. */
export async function decodePayload(client: Client, payload: Payload | null | undefined): Promise<unknown> {
  if (payload === undefined || payload === null) return undefined;
  const { payloadConverter, payloadCodecs } = client.options.loadedDataConverter;
  let decoded = [payload];
  for (const codec of payloadCodecs.toReversed()) decoded = await codec.decode(decoded);
  const [first] = decoded;
  return first === undefined ? undefined : payloadConverter.fromPayload(first);
}
