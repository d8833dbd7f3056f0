/** CRC-16 of the Info frame: polynomial 0x8005, bits reversed (libavutil's AV_CRC_16_ANSI_LE). */
const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  return crc;
});

/** Continues from `crc` over more bytes. */
export function crc16(crc: number, bytes: Uint8Array): number {
  let value = crc;
  for (const byte of bytes) value = (table[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return value;
}
