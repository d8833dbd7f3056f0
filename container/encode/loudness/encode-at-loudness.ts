import type { LoudnessFacts } from '../../../contract/http/loudness.ts';
import type { LoudnessTarget } from '../../../contract/loudness.ts';
import type { JobContext } from '../../jobs/job.ts';
import { encoderEffect } from '../../loudness/encoder-effect.ts';
import type { Level } from '../../loudness/level-filter.ts';
import type { Loudness } from '../../loudness/loudness.ts';
import {
  beforeEncoder,
  correctPreview,
  judgeLevel,
  limiterSlope,
  needsPreview,
  planLevel,
  type LevelRequest,
} from '../../loudness/plan-level.ts';
import { encodeOutputs } from '../encode-outputs.ts';
import type { EncodedFile, EncodeTarget } from '../encoded-file.ts';
import type { EncodeLimits } from '../limits.ts';
import type { AudioPlan } from '../output-plan.ts';
import type { SegmentedCounters } from '../segmented/counters.ts';
import { audioOf, type Source } from '../source.ts';
import { measureFiles } from './measure-files.ts';
import { SourceMeter } from './measure-source.ts';

export interface LevelledFile extends EncodedFile {
  /** where a loudness was asked for */
  loudness?: LoudnessFacts;
}

/** How often a limiter is tried out on the source before anything is encoded. */
const mostPreviews = 2;

/** LU; a preview closer than this to its target is as good as another one. */
const previewTolerance = 0.03;

/** One output on its way to its loudness. */
interface Levelling {
  target: EncodeTarget;
  audio: AudioPlan;
  request: LevelRequest;
  level: Level;
  /** `limiterSlope` */
  slope: number;
  facts?: LoudnessFacts;
}

/**
 * Encodes all outputs, and those that are to have a loudness until they have it (docs/decisions/loudness-is-measured-in-the-file.md):
 * the source is measured, a gain and a limiter are set, and the encoded files are measured. What an encoder has changed is given
 * back, and encoded again.
 */
export async function encodeAtLoudness(
  source: Source,
  targets: readonly EncodeTarget[],
  limits: EncodeLimits,
  counters: SegmentedCounters,
  job: JobContext,
): Promise<LevelledFile[]> {
  const levellings = await planLevellings(source, targets, limits, job);
  const files: LevelledFile[] = [];
  let pending = targets.map((target, index) => ({ target, index, levelling: levellings[index] }));
  for (let round = 0; pending.length > 0; round += 1) {
    const levelled = pending.map(({ target, levelling }) => (levelling === undefined ? target : withLevel(levelling)));
    const isOnlyRound = pending.every(({ levelling }) => levelling === undefined);
    const context = isOnlyRound ? job : { ...job, advance: advanceOfRound(job, round) };
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
    pending = pending.filter(({ levelling }) => levelling !== undefined && levelling.facts === undefined);
  }
  return files.map((file, index) => {
    const loudness = levellings[index]?.facts;
    return loudness === undefined ? file : { ...file, loudness };
  });
}

/** A correction is half as likely as the round before, so that each round has half of what was left of the phase. */
function advanceOfRound(job: JobContext, round: number): JobContext['advance'] {
  const from = 1 - 0.4 ** round;
  const share = 1 - 0.4 ** (round + 1) - from;
  return (phase, fraction, speed) => {
    const isScaled = phase === 'encode' && fraction !== undefined && Number.isFinite(fraction);
    job.advance(phase, isScaled ? from + share * Math.min(1, fraction) : fraction, speed);
  };
}

function withLevel({ target, audio, level, request }: Levelling): EncodeTarget {
  const levelled: AudioPlan = { ...audio, level: beforeEncoder(level, request.effect) };
  return { ...target, plan: { ...target.plan, audio: levelled } };
}

/** Of outputs without a loudness: undefined. */
async function planLevellings(
  source: Source,
  targets: readonly EncodeTarget[],
  limits: EncodeLimits,
  job: JobContext,
): Promise<(Levelling | undefined)[]> {
  const levellings: (Levelling | undefined)[] = [];
  let meter: SourceMeter | undefined;
  for (const target of targets) {
    const { audio } = target.plan;
    if (audio?.loudness === undefined) {
      levellings.push(undefined);
      continue;
    }
    job.advance('measure', 0);
    meter ??= new SourceMeter(audioOf(source, 'A loudness'), limits, job);
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
  const effect = encoderEffect(audio);
  const request = { target: loudness, source: await meter.measure(audio), effect };
  let level = planLevel(request);
  let slope = 1;
  for (let previews = 0; previews < mostPreviews && needsPreview(level, request.source); previews += 1) {
    const { integrated } = await meter.measure(audio, level);
    const preview = { level, integrated };
    slope = limiterSlope(request.source, preview);
    if (Math.abs(loudness.integrated - integrated) < previewTolerance) break;
    level = correctPreview(request, preview);
  }
  return { target, audio, request, level, slope };
}

/** Gives each its facts, or the level of its next round. */
async function measureLevelled(
  measurable: readonly { levelling: Levelling; file: EncodedFile }[],
  corrections: number,
  limits: EncodeLimits,
  job: JobContext,
): Promise<void> {
  if (measurable.length === 0) return;
  job.advance('measure', 1);
  const files = measurable.map(({ levelling: { target, audio }, file }) => ({
    path: target.path,
    container: target.plan.container,
    sampleRate: audio.sampleRate,
    seconds: file.streams.audio?.seconds ?? 0,
  }));
  const loudness = await measureFiles(files, limits, job);
  for (const [place, { levelling }] of measurable.entries()) {
    const measured = loudness[place];
    if (measured === undefined) continue;
    const { request, level, slope, target } = levelling;
    const next = judgeLevel(request, { level, measured, slope, corrections });
    job.log.info(
      { output: target.plan.label, ...level, ...measured, corrections, next: next.kind },
      'Measured an output',
    );
    if (next.kind === 'again') levelling.level = next.level;
    else levelling.facts = describe(request.source, level, measured, next.note);
  }
}

const rounded = (decibels: number): number => Math.round(decibels * 100) / 100;
const orNull = (decibels: number): number | null => (Number.isFinite(decibels) ? rounded(decibels) : null);

function describe(source: Loudness, { gain }: Level, measured: Loudness, note: string | undefined): LoudnessFacts {
  const figures = ({ integrated, truePeak, range }: Loudness) => ({
    integrated: orNull(integrated),
    truePeak: orNull(truePeak),
    range: rounded(range),
  });
  return { ...figures(measured), gain: rounded(gain), source: figures(source), ...(note !== undefined && { note }) };
}
