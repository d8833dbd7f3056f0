/** Floating point may have samples that are no numbers, and one of them would make all figures none. They count as silence (pure). */
export function finiteSamples(block: Float32Array): Float32Array {
  let sum = 0;
  for (const value of block) sum += value;
  return Number.isFinite(sum) ? block : block.map((value) => (Number.isFinite(value) ? value : 0));
}
