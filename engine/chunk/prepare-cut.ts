import { join } from 'node:path';
import type { EncodeLimits } from '../ffmpeg/limits.ts';
import { stopAtLimit } from '../ffmpeg/limited-run.ts';
import { RawSamples, rawShapeOf } from '../source/raw-samples.ts';
import { sourceTooLong } from '../ffmpeg/source-limits.ts';
import type { AudioSource } from '../source/source.ts';
import { noSound, undecodable } from '../ffmpeg/failure.ts';
import { measureWithHoles } from '../ffmpeg/measure.ts';
import { measureLongestPacket } from '../ffmpeg/probe.ts';
import type { Work } from '../work.ts';
import { chunkSampleFormat, planCut, type Cut } from './cut.ts';

/**
 * Fractions of a packet, of the decoder's delay and of the muxer's rounding are not gaps and cannot be heard. A copied
 * source's length by timestamps differs by less from that of its samples.
 */
export const steadySeconds = 0.05;

/** Lossless sources have exactly the declared length. This allows for rounding. */
const exactSeconds = 0.001;

/** Allowed difference between a source's span of timestamps and its decoded length. */
const mostDriftSeconds = 0.5;

export interface PreparedCut {
  totalSeconds: number;
  cut: Cut;
  /** Decoded samples, if no position in the source can be reached by seeking. */
  samples?: RawSamples;
}

/** Reads the whole source once or twice. Only decoding reveals its length and whether its timestamps jump. */
export async function prepareCut(source: AudioSource, limits: EncodeLimits, job: Work): Promise<PreparedCut> {
  const { path, formatName, leadSeconds, estimatedSeconds = Infinity, declaredSeconds } = source;
  const cut = planCut(source, await measureLongestPacket(path, source, job.signal));
  const isFromSamples = cut.kind === 'encode' && (cut.entry === 'samples' || source.hasWildSamples === true);
  if (isFromSamples) return await prepareFromSamples(source, limits, job);
  const onProgress = (seconds: number): void => job.advance('probe', seconds / estimatedSeconds);
  const { seconds, soundSeconds, mendedSeconds } = await measureWithHoles(path, {
    ...{ sourceTime: source, limits },
    ...stopAtLimit(limits, job.signal, onProgress),
  });
  const isWhole =
    cut.kind === 'copy' || declaredSeconds === undefined || Math.abs(soundSeconds - declaredSeconds) < exactSeconds;
  // In concatenated transport streams, time restarts. ffmpeg plays on but cannot seek by time.
  const jumps = formatName === 'mpegts' && Math.abs(soundSeconds + leadSeconds - estimatedSeconds) > mostDriftSeconds;
  const isSteady = isWhole && !jumps && Math.max(Math.abs(seconds - soundSeconds), mendedSeconds) < steadySeconds;
  return isSteady ? { totalSeconds: checkLength(seconds, limits), cut } : await prepareFromSamples(source, limits, job);
}

/** Prepares the cut that is always exact but needs scratch space for all samples. Nothing is reached by seeking. */
export async function prepareFromSamples(source: AudioSource, limits: EncodeLimits, job: Work): Promise<PreparedCut> {
  const { estimatedSeconds = Infinity } = source;
  const shape = rawShapeOf(source, chunkSampleFormat(source));
  if (shape === undefined) throw undecodable();
  const samples = new RawSamples(join(job.folder, 'samples'), source, shape, limits.maxOutputBytes);
  const count = await samples.decode(limits, job.signal, (seconds) => job.advance('probe', seconds / estimatedSeconds));
  const totalSeconds = checkLength(count / source.sampleRate, limits);
  return { totalSeconds, cut: planCut(source, undefined), samples };
}

function checkLength(seconds: number, limits: EncodeLimits): number {
  if (seconds === 0) throw noSound();
  if (seconds > limits.maxSourceDurationSeconds) throw sourceTooLong(limits);
  return seconds;
}
