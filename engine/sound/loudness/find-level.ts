import type { AudioPlan, Level } from '../../plan/audio-plan.ts';
import { type GainTrial, guessGain, nextGain, type NextGain } from './gain-search.ts';
import type { SourceMeter } from './measure-source.ts';
import { type EncodedTrial, needsPreview, withLimiter, type LevelRequest } from './plan-level.ts';

/** Inputs for finding a level. */
export interface LevelSearch {
  audio: AudioPlan;
  request: LevelRequest;
  meter: SourceMeter;
}

/** dB. An encoder may make silence of quiet sound, which is infinitely far from its target. */
const mostStep = 20;

/** Loudness in LUFS of the source at this level. */
async function loudnessAt(level: Level, { audio, request, meter }: LevelSearch): Promise<number> {
  if (!needsPreview(level, request.source)) return request.source.integrated + level.gain;
  return (await meter.measure(audio, level)).integrated;
}

/** Finds the level under a ceiling that gives the source this loudness, without encoding anything. */
export async function findLevel(
  levels: LevelSearch,
  wanted: number,
  ceiling: number,
  firstGain?: number,
): Promise<Level> {
  const { source, target } = levels.request;
  if (!Number.isFinite(source.integrated)) return withLimiter(0, ceiling, source);
  const search = { wanted, source, ceiling, maxGain: target.maxGain };
  const trials: GainTrial[] = [];
  let next: NextGain = firstGain === undefined ? nextGain(search, trials) : { kind: 'try', gain: firstGain };
  while (next.kind === 'try') {
    const { gain } = next;
    trials.push({ gain, integrated: await loudnessAt(withLimiter(gain, ceiling, source), levels) });
    next = nextGain(search, trials);
  }
  return withLimiter(next.gain, ceiling, source);
}

/** Level for the next encode under a ceiling, after all trials so far. */
export async function correctLevel(
  levels: LevelSearch,
  trials: readonly EncodedTrial[],
  ceiling: number,
): Promise<Level> {
  const last = trials.at(-1);
  const { integrated } = levels.request.target;
  if (last === undefined) return await findLevel(levels, integrated, ceiling);
  const byInput: GainTrial[] = [];
  for (const { level, measured } of trials) {
    const given = await loudnessAt(level, levels);
    byInput.push({ gain: given, integrated: Math.max(measured.integrated, integrated - mostStep) });
  }
  // The loudness of most files follows that of their encoder's input, decibel by decibel.
  const wanted = guessGain(integrated, byInput, 1);
  const firstGain = Math.min(
    levels.request.target.maxGain,
    last.level.gain + wanted - (await loudnessAt(last.level, levels)),
  );
  return await findLevel(levels, wanted, ceiling, firstGain);
}
