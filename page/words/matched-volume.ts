/**
 * Volume at which all versions sound as loud as the softest, because louder audio seems better. `loudness`: LUFS, where
 * measured.
 */
export function matchedVolume(loudness: readonly (number | null | undefined)[], index: number): number {
  const known = loudness.filter((lufs) => typeof lufs === 'number');
  const own = loudness[index];
  if (typeof own !== 'number' || known.length < loudness.length) return 1;
  return Math.min(1, 10 ** ((Math.min(...known) - own) / 20));
}
