export const blocksPerSecond = 10;

/** Loudness in LUFS of windows that end every 100 ms. */
export interface LoudnessBlocks {
  /** Windows of 400 ms. */
  momentary: readonly number[];
  /** Windows of 3 s. */
  shortTerm: readonly number[];
}

/** LUFS. Anything that is not louder counts as silence (ITU-R BS.1770-4, annex 1). */
export const absoluteGate = -70;
/** dB: K-weighted power of one channel at 0 LUFS (BS.1770-4, annex 1, equation 2). */
const calibration = -0.691;

const powerOf = (loudness: number): number => 10 ** ((loudness - calibration) / 10);
const loudnessOf = (power: number): number => 10 * Math.log10(power) + calibration;

function mean(loudness: readonly number[]): number {
  return loudnessOf(loudness.reduce((sum, block) => sum + powerOf(block), 0) / loudness.length);
}

/** Keeps blocks above the absolute gate that are at most `depth` LU below the mean of these. */
function gate(blocks: readonly number[], depth: number): number[] {
  const heard = blocks.filter((block) => block > absoluteGate);
  if (heard.length === 0) return [];
  const threshold = mean(heard) - depth;
  return heard.filter((block) => block > threshold);
}

/** Integrated loudness in LUFS (BS.1770-4, annex 1, equations 3 to 7); -Infinity if every block is below the gate. */
export function integratedLoudness({ momentary }: Pick<LoudnessBlocks, 'momentary'>): number {
  const blocks = gate(momentary, 10);
  return blocks.length === 0 ? -Infinity : mean(blocks);
}

/** LU from the 10th to the 95th percentile (EBU Tech 3342); 0 if too few blocks remain. */
export function loudnessRange({ shortTerm }: Pick<LoudnessBlocks, 'shortTerm'>): number {
  const blocks = gate(shortTerm, 20).toSorted((a, b) => a - b);
  const percentile = (share: number): number => blocks[Math.round((blocks.length - 1) * share)] ?? 0;
  return percentile(0.95) - percentile(0.1);
}
