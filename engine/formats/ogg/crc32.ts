/** CRC-32 of a page: polynomial 0x04c11db7, not reflected, starting from zero (RFC 3533, 6). */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});

export function crc32(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = (crc << 8) ^ (table[((crc >>> 24) ^ byte) & 0xff] ?? 0);
  return crc >>> 0;
}
