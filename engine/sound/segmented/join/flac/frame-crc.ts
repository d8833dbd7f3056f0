/** CRC-8 of a frame's header: polynomial 0x07, from zero (RFC 9639, 9.1.8). */
const headerTable = Uint8Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1;
  return crc;
});

export function crc8(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = headerTable[crc ^ byte] ?? 0;
  return crc;
}

/** CRC-16 of a frame: polynomial 0x8005, not reflected, from zero (RFC 9639, 9.3). */
const polynomial = 0x8005;

/** Product of a polynomial and x. */
const timesX = (value: number): number => (value & 0x8000 ? ((value << 1) & 0xffff) ^ polynomial : value << 1);

const frameTable = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = timesX(crc);
  return crc;
});

export function frameCrc(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (frameTable[(crc >> 8) ^ byte] ?? 0);
  return crc;
}

function product(one: number, other: number): number {
  let result = 0;
  for (let bit = 0x8000; bit > 0; bit >>= 1) result = timesX(result) ^ (other & bit ? one : 0);
  return result;
}

/** `shifts[k]` is the factor of 2 ** k bytes that follow. */
const shifts: number[] = [0x100];
for (let power = 1; power < 31; power += 1) shifts.push(product(shifts[power - 1] ?? 0, shifts[power - 1] ?? 0));

/**
 * CRC of a frame whose beginning is replaced while `rest` bytes after it stay the same. A CRC from zero is linear, so
 * the other bytes are not read.
 */
export function crcAfterChange(crc: number, before: Uint8Array, after: Uint8Array, rest: number): number {
  let change = frameCrc(before) ^ frameCrc(after);
  for (const [power, factor] of shifts.entries()) if ((rest >> power) & 1) change = product(change, factor);
  return crc ^ change;
}
