/**
 * Ranges of 32-bit sizes that programs write to a pipe: SoX writes 0x7F000000 in AIFF and 0x7FFFF000 in WAV, and rounds
 * them down to whole samples. arecord writes 0x80000000. Others write the largest size, with or without the header.
 */
const pipedSizes = [
  { from: 0x7e_ff_f0_00, to: 0x7f_00_00_08 },
  { from: 0x7f_ff_e0_00, to: 0x80_00_00_00 },
  { from: 0xff_ff_ff_00, to: 0xff_ff_ff_fe },
];

/** True if the writer did not know the length. If all bytes of a pipe's size are present, it is a real size. */
export function isPlaceholderSize(size: number, present: number): boolean {
  if (size === 0 || size === 0xff_ff_ff_ff) return true;
  return size > present && pipedSizes.some(({ from, to }) => size >= from && size <= to);
}
