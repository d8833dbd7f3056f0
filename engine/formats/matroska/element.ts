/** RFC 9559, 5.1 */
export const segmentId = 0x18_53_80_67;
export const clusterId = 0x1f_43_b6_75;
export const tracksId = 0x16_54_ae_6b;

/** An element's id (at most 4 bytes) and size (at most 8 bytes): RFC 8794, 5 and 6. */
export const headerBytes = 12;

/**
 * Length in bytes of a variable-length number, from its first byte; undefined if no such number starts with this byte.
 */
function lengthOf(first: number): number | undefined {
  return first === 0 ? undefined : Math.clz32(first) - 23;
}

interface Element {
  id: number;
  headerSize: number;
  /** Undefined: up to the next element that cannot be inside it. */
  bodySize: number | undefined;
}

/** Returns undefined if no element starts here or its header is incomplete. */
export function readElement(bytes: Buffer): Element | undefined {
  const idLength = lengthOf(bytes[0] ?? 0);
  if (idLength === undefined || idLength > 4 || bytes.length <= idLength) return undefined;
  const first = bytes[idLength] ?? 0;
  const sizeLength = lengthOf(first);
  if (sizeLength === undefined || bytes.length < idLength + sizeLength) return undefined;
  let size = BigInt(first) & ((1n << BigInt(8 - sizeLength)) - 1n);
  for (let index = 1; index < sizeLength; index += 1) size = (size << 8n) | BigInt(bytes[idLength + index] ?? 0);
  const isUnknown = size === (1n << BigInt(7 * sizeLength)) - 1n;
  return {
    id: bytes.readUIntBE(0, idLength),
    headerSize: idLength + sizeLength,
    bodySize: isUnknown ? undefined : Number(size),
  };
}
