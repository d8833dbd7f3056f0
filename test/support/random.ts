/** Numbers in [0, 1), the same ones for a seed every time (xorshift32, Marsaglia 2003). */
export function randomNumbers(seed: number): () => number {
  // Seeds that differ little make numbers that differ little at first.
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
