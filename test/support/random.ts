/** Reproducible numbers in [0, 1) (xorshift32, Marsaglia 2003). */
export function randomNumbers(seed: number): () => number {
  // Similar seeds give similar first numbers.
  let state = Math.imul(seed + 1, 0x9e37_79b1) | 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let warmUp = 0; warmUp < 8; warmUp += 1) next();
  return next;
}
