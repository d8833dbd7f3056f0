/** Replaces NaN and infinite samples with silence (pure): one of them would turn every figure into NaN. */
export function finiteSamples(block: Float32Array): Float32Array {
  let sum = 0;
  for (const value of block) sum += value;
  return Number.isFinite(sum) ? block : block.map((value) => (Number.isFinite(value) ? value : 0));
}
