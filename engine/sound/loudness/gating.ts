export const blocksPerSecond = 10;

/** Loudness of windows that end every 100 ms, in LUFS. */
export interface LoudnessBlocks {
  /** of 400 ms */
  momentary: readonly number[];
  /** of 3 s */
  shortTerm: readonly number[];
}

/** LUFS; what is no louder counts as no sound (ITU-R BS.1770-4, annex 1) */
export const absoluteGate = -70;
/** dB: the same channel's K-weighted power at which loudness is 0 LUFS (BS.1770-4, annex 1, equation 2) */
const calibration = -0.691;

const powerOf = (loudness: number): number => 10 ** ((loudness - calibration) / 10);
const loudnessOf = (power: number): number => 10 * Math.log10(power) + calibration;

function mean(loudness: readonly number[]): number {
  return loudnessOf(loudness.reduce((sum, block) => sum + powerOf(block), 0) / loudness.length);
}

/** Those above the absolute gate, and no more than `depth` LU under the mean of these. */
function gate(blocks: readonly number[], depth: number): number[] {
  const heard = blocks.filter((block) => block > absoluteGate);
  if (heard.length === 0) return [];
  const threshold = mean(heard) - depth;
  return heard.filter((block) => block > threshold);
}

/** LUFS of a whole (BS.1770-4, annex 1, equations 3 to 7); -Infinity where all is below the gate (pure). */
export function integratedLoudness({ momentary }: Pick<LoudnessBlocks, 'momentary'>): number {
  const blocks = gate(momentary, 10);
  return blocks.length === 0 ? -Infinity : mean(blocks);
}

/** LU from the 10th to the 95th percentile (EBU Tech 3342); 0 where there is too little (pure). */
export function loudnessRange({ shortTerm }: Pick<LoudnessBlocks, 'shortTerm'>): number {
  const blocks = gate(shortTerm, 20).toSorted((a, b) => a - b);
  const percentile = (share: number): number => blocks[Math.round((blocks.length - 1) * share)] ?? 0;
  return percentile(0.95) - percentile(0.1);
}
