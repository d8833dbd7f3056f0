import { decodeGuards } from '../ffmpeg/guards.ts';
import { encodeArguments } from './arguments.ts';
import { type EncodedFile, type EncodeTarget, unsplitFile } from '../plan/encoded-file.ts';
import { runWithinLimits, type OnAdvance } from '../ffmpeg/limited-run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';

/** Runs one ffmpeg: one decode of the source, one encoder per output. */
export async function encodeBySingleRun(
  sourcePath: string,
  targets: readonly EncodeTarget[],
  limits: RunLimits,
  signal: AbortSignal,
  onAdvance: OnAdvance,
): Promise<EncodedFile[]> {
  const run = {
    input: sourcePath,
    inputOptions: decodeGuards,
    outputs: targets.map(({ plan, path }) => ({ path, options: encodeArguments(plan) })),
  };
  const { encodedSamples, mendedSamples } = await runWithinLimits(run, limits, signal, onAdvance);
  const isMended = mendedSamples > 0;
  return targets.map(({ plan: { audio } }, index) => ({
    streams:
      audio === undefined ? {} : { audio: { seconds: (encodedSamples.get(index) ?? 0) / audio.sampleRate, isMended } },
    ...unsplitFile,
  }));
}
