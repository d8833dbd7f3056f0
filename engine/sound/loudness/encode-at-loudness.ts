import { rename, rm } from 'node:fs/promises';
import { audioCodecFacts } from '../../../contract/audio-codecs.ts';
import type { LoudnessFacts } from '../../../contract/http/loudness.ts';
import type { LoudnessTarget } from '../../../contract/loudness.ts';
import type { Work } from '../../work.ts';
import { encoderEffect } from './encoder-effect.ts';
import { correctLevel, findLevel, type LevelSearch } from './find-level.ts';
import type { AudioPlan, Level } from '../../plan/audio-plan.ts';
import { loudnessCurve } from './loudness-curve.ts';
import { loudnessFigures, loudnessOf } from './loudness.ts';
import type { Measured } from './measure-part.ts';
import {
  beforeEncoder,
  type EncodedTrial,
  explainLoudness,
  firstCeiling,
  hasCancelled,
  isMixSuspicious,
  isNearer,
  isSameLevel,
  nextCeiling,
  type LevelRequest,
} from './plan-level.ts';
import { encodeOutputs } from '../encode-outputs.ts';
import { withEncodeShare } from '../../encode-share.ts';
import type { EncodedFile, EncodeTarget } from '../../plan/encoded-file.ts';
import type { EncodeLimits } from '../../ffmpeg/limits.ts';
import type { SegmentedCounters } from '../segmented/counters.ts';
import { audioOf, type Source } from '../../source/source.ts';
import { measureFiles } from './measure-files.ts';
import { SourceMeter } from './measure-source.ts';

export interface LevelledFile extends EncodedFile {
  /** Present if a loudness was requested. */
  loudness?: LoudnessFacts;
}

/** An output on its way to its loudness. */
interface Levelling extends LevelSearch {
  target: EncodeTarget;
  level: Level;
  /** All encodes so far. */
  trials: EncodedTrial[];
  /** File nearest to its target among those that were encoded again. */
  nearest?: MeasuredFile;
  made?: LevelledFile;
}

interface MeasuredFile {
  trial: EncodedTrial;
  file: EncodedFile;
  curve: LoudnessFacts['curve'];
}

/** Path of a file while another attempt is made. */
const nearestPath = (path: string): string => `${path}-nearest`;

/**
 * Encodes all outputs, and repeats those with a requested loudness until they have it
 * (docs/decisions/measure-loudness-in-the-encoded-file.md). The source is measured, a gain and a limiter are set, and the
 * encoded files are measured. An encoder's change is compensated, and the file is encoded again.
 */
export async function encodeAtLoudness(
  source: Source,
  targets: readonly EncodeTarget[],
  limits: EncodeLimits,
  counters: SegmentedCounters,
  job: Work,
): Promise<LevelledFile[]> {
  const levellings = await planLevellings(source, targets, limits, job);
  const files: LevelledFile[] = [];
  let pending = targets.map((target, index) => ({ target, index, levelling: levellings[index] }));
  for (let round = 0; pending.length > 0; round += 1) {
    const levelled = pending.map(({ target, levelling }) => (levelling === undefined ? target : withLevel(levelling)));
    const isOnlyRound = pending.every(({ levelling }) => levelling === undefined);
    const context = isOnlyRound ? job : withEncodeShare(job, shareBefore(round), shareBefore(round + 1));
    const encoded = await encodeOutputs(source, levelled, limits, counters, context);
    for (const [place, { index }] of pending.entries()) {
      const file = encoded[place];
      if (file !== undefined) files[index] = file;
    }
    const measurable = pending.flatMap(({ index, levelling }) => {
      const file = files[index];
      return levelling === undefined || file === undefined ? [] : [{ levelling, file }];
    });
    await measureLevelled(measurable, round, limits, job);
    pending = pending.filter(({ levelling }) => levelling !== undefined && levelling.made === undefined);
  }
  return files.map((file, index) => levellings[index]?.made ?? file);
}

/**
 * Share of the phase that is over before a round. A correction is less likely than the previous round, which took 0.6
 * of the rest.
 */
function shareBefore(round: number): number {
  return 1 - 0.4 ** round;
}

function withLevel({ target, audio, level, request }: Levelling): EncodeTarget {
  const levelled: AudioPlan = { ...audio, level: beforeEncoder(level, request.effect) };
  return { ...target, plan: { ...target.plan, audio: levelled } };
}

/** An output without a requested loudness yields undefined. */
async function planLevellings(
  source: Source,
  targets: readonly EncodeTarget[],
  limits: EncodeLimits,
  job: Work,
): Promise<(Levelling | undefined)[]> {
  const levellings: (Levelling | undefined)[] = [];
  const meters = new Map<number, SourceMeter>();
  for (const target of targets) {
    const { audio } = target.plan;
    if (audio?.loudness === undefined) {
      levellings.push(undefined);
      continue;
    }
    job.advance('measure', 0);
    const track = source.tracks[audio.track] ?? audioOf(source, 'A loudness');
    const meter = meters.get(audio.track) ?? new SourceMeter(track, limits, job);
    meters.set(audio.track, meter);
    levellings.push(await planLevelling(target, audio, audio.loudness, meter));
  }
  return levellings;
}

async function planLevelling(
  target: EncodeTarget,
  audio: AudioPlan,
  loudness: LoudnessTarget,
  meter: SourceMeter,
): Promise<Levelling> {
  const mixed = await meter.measure(audio);
  const unmixed = audio.isMixed && isMixSuspicious(loudness, mixed) ? await meter.measureUnmixed(audio) : undefined;
  const cancels = unmixed && hasCancelled(mixed, unmixed) ? { from: meter.channels, to: audio.channels } : undefined;
  const request: LevelRequest = {
    ...{ target: loudness, source: mixed, effect: encoderEffect(audio) },
    ...(cancels !== undefined && { cancels }),
  };
  const levelling = { audio, request, meter };
  return {
    ...levelling,
    target,
    trials: [],
    level: await findLevel(levelling, loudness.integrated, firstCeiling(request)),
  };
}

/** Gives each output its file, or the level of its next round. */
async function measureLevelled(
  measurable: readonly { levelling: Levelling; file: EncodedFile }[],
  corrections: number,
  limits: EncodeLimits,
  job: Work,
): Promise<void> {
  if (measurable.length === 0) return;
  job.advance('measure', 1);
  const files = measurable.map(({ levelling: { target, audio }, file }) => ({
    path: target.path,
    container: target.plan.container,
    // Rate of the decoded sound: 48 kHz for Opus, whatever its encoder received.
    sampleRate: audioCodecFacts(audio.codec).preferredRate ?? audio.sampleRate,
    seconds: file.streams.audio?.seconds ?? 0,
  }));
  const blocks = await measureFiles(files, limits, job);
  for (const [place, { levelling, file }] of measurable.entries()) {
    const fileBlocks = blocks[place];
    if (fileBlocks === undefined) continue;
    const measured = loudnessOf(fileBlocks);
    const { request, level, target, trials } = levelling;
    const trial = { level, measured };
    trials.push(trial);
    const ceiling = nextCeiling(request, trials);
    const next = ceiling === undefined ? level : await correctLevel(levelling, trials, ceiling);
    const isDone = trials.some((earlier) => isSameLevel(next, earlier.level));
    job.log.info({ output: target.plan.label, ...level, ...measured, corrections, isDone }, 'Measured an output');
    const found = { trial, file, curve: curveOf(fileBlocks) };
    if (isDone) levelling.made = describe(levelling, await takeNearest(levelling, found));
    else {
      await keepNearest(levelling, found);
      levelling.level = next;
    }
  }
}

/** A correction may miss by more than it corrected, because encoders are not linear. */
async function keepNearest(levelling: Levelling, found: MeasuredFile): Promise<void> {
  const { nearest, request, target } = levelling;
  if (nearest !== undefined && !isNearer(request, found.trial.measured, nearest.trial.measured)) return;
  await rename(target.path, nearestPath(target.path));
  levelling.nearest = found;
}

async function takeNearest({ nearest, request, target }: Levelling, last: MeasuredFile): Promise<MeasuredFile> {
  if (nearest === undefined) return last;
  if (isNearer(request, nearest.trial.measured, last.trial.measured)) {
    await rename(nearestPath(target.path), target.path);
    return nearest;
  }
  await rm(nearestPath(target.path));
  return last;
}

/** As many points as fit on a terminal line. The answer stays in the run's history. */
const mostCurvePoints = 60;

function curveOf({ momentary }: Measured): LoudnessFacts['curve'] {
  const { interval, points } = loudnessCurve(momentary, mostCurvePoints);
  return { interval, momentary: points };
}

function describe({ request, trials }: Levelling, { trial, file, curve }: MeasuredFile): LevelledFile {
  const note = explainLoudness(request, trial, trials);
  const loudness = {
    ...loudnessFigures(trial.measured),
    gain: Math.round(trial.level.gain * 100) / 100,
    source: loudnessFigures(request.source),
    ...(note !== undefined && { note }),
    curve,
  };
  return { ...file, loudness };
}
