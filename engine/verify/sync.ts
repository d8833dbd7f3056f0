import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { decodeGuards } from '../ffmpeg/guards.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import type { AudioPlan } from '../plan/audio-plan.ts';
import type { CheckRun } from './decode-whole.ts';
import { findLag, findLagProblem, type Lag, lagRate } from './lag.ts';

/** Points at which an output is compared with its source. */
const points = 20;

/** Seconds of the source that are compared at each point, and seconds by which they are searched for on both sides. */
const windowSeconds = 0.06;
const reachSeconds = 0.15;

interface Window {
  from: number;
  seconds: number;
}

/**
 * Compares sound that was mended with its source, by content, at points over the whole length. The source is read by
 * its own timestamps, without the filter that mends. Describes the problem as the rest of a sentence; undefined if the
 * sound is at its time, or if nothing shows where it is.
 */
export async function findSyncProblem(
  path: string,
  { film, track }: Pick<AudioPlan, 'film' | 'track'>,
  encodedSeconds: number,
  run: Omit<CheckRun, 'advance'>,
): Promise<string | undefined> {
  if (film === undefined) return undefined;
  const places = Array.from({ length: points }, (_, index) => (encodedSeconds * (index + 0.5)) / points);
  const windows = places.map((place) => ({ from: film.startSeconds + place, seconds: windowSeconds }));
  const wanted = await readWindows(film.path, track, windows, run);
  const around = places.map((place) => ({ from: place - reachSeconds, seconds: windowSeconds + 2 * reachSeconds }));
  const made = await readWindows(path, 0, around, run);
  // A part that the source cannot fill contains a gap or an overlap.
  const lags: Lag[] = [];
  for (const [index, part] of wanted.entries()) {
    const lag = part && made[index] && findLag(part, made[index]);
    if (lag !== undefined) lags.push(lag);
    // A search takes about 20 ms, in which requests would wait.
    await setImmediate();
  }
  return findLagProblem(lags);
}

/** Samples of these windows of a track, by the file's timestamps. Undefined for a window that is not whole. */
async function readWindows(
  input: string,
  track: number,
  windows: readonly Window[],
  { limits, folder, signal }: Omit<CheckRun, 'advance'>,
): Promise<(Float32Array | undefined)[]> {
  // The sounds of a package are compared side by side.
  const own = await mkdtemp(join(folder, 'windows-'));
  const outputs = windows.map(({ from, seconds }, index) => {
    const shape = `aformat=sample_fmts=flt:channel_layouts=mono:sample_rates=${lagRate}`;
    const filter = `atrim=start=${from.toFixed(6)}:end=${(from + seconds).toFixed(6)},asetpts=N/SR/TB,${shape}`;
    return { path: join(own, `${index}`), options: ['-map', `0:a:${track}`, '-af', filter, '-f', 'f32le'] };
  });
  const inputOptions = [...decodeGuards, '-copyts'];
  try {
    await runFfmpeg({ input, inputOptions, outputs, limits, signal });
    return await Promise.all(
      windows.map(async ({ seconds }, index) => {
        const bytes = await readFile(outputs[index]?.path ?? '');
        const samples = new Float32Array(new Uint8Array(bytes).buffer);
        return Math.abs(samples.length - seconds * lagRate) <= 2 ? samples : undefined;
      }),
    );
  } finally {
    await rm(own, { recursive: true });
  }
}
