/**
 * Temporal's server takes no payload above 2 MiB and no request above 4 MiB (`limit.blobSize.error`, and gRPC's own
 * limit). A larger request never arrives: the SDK resends an activity's result until the activity times out.
 */
export const maxPayloadBytes = 2_000_000;

/** UTF-8 bytes of a value as JSON; 0 for undefined. */
export function jsonBytes(value: unknown): number {
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? 0 : new TextEncoder().encode(json).length;
}

/** Why a value is too large for a history; undefined if it fits. `what` begins the sentence. */
export function payloadProblem(what: string, value: unknown): string | undefined {
  const bytes = jsonBytes(value);
  if (bytes <= maxPayloadBytes) return undefined;
  return `${what} has ${bytes} bytes, and the limit of Temporal is ${maxPayloadBytes} bytes.`;
}
