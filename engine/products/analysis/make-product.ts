import { rm } from 'node:fs/promises';
import type { MediaFacts } from '../../../contract/http/media.ts';
import { UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import type { EncodeLimits } from '../../ffmpeg/limits.ts';
import type { AudioPlan } from '../../plan/audio-plan.ts';
import type { EncodedFile, EncodeTarget } from '../../plan/encoded-file.ts';
import { measureFiles } from '../../sound/loudness/measure-files.ts';
import { noRoom, scratchRoom } from '../../source/raw-samples.ts';
import type { AudioSource, Source } from '../../source/source.ts';
import { orUnsupported } from '../../unsupported.ts';
import type { Work } from '../../work.ts';
import type { AnalysisResult, AnalysisRun } from './analysis.ts';
import { peaksProblem } from './peaks/peaks.ts';
import type { AnalysisProduct, SilentReport } from './plan-product.ts';
import { bytesOfSample, readSamples, type SamplesOrigin, type SamplesShape } from './samples.ts';

export interface MadeAnalysis {
  kind: 'analysis';
  product: AnalysisProduct;
  found: AnalysisResult;
  seconds: number;
}

export interface MadeReport {
  kind: 'silent_report';
  product: SilentReport;
  seconds: number;
}

/** Samples that are decoded once for several analyses. */
export interface SamplesTarget extends EncodeTarget {
  plan: AnalysisProduct['samples'];
  analyses: AnalysisProduct[];
}

/** Groups analyses that read the same track with the same cut and channels. */
export function planSamples(analyses: readonly AnalysisProduct[], pathOf: (index: number) => string): SamplesTarget[] {
  const groups = Map.groupBy(analyses, ({ samples }) => JSON.stringify(samples.audio));
  return [...groups.values()].flatMap((group, index) => {
    // The loudness meter of a report reads one file.
    const report = group.find(({ analysis }) => analysis.kind === 'report');
    const samplesFor = report === undefined ? 'parts' : 'one_file';
    const { samples } = report ?? group[0] ?? {};
    return samples === undefined ? [] : [{ plan: { ...samples, samplesFor }, path: pathOf(index), analyses: group }];
  });
}

/**
 * Throws if the samples need more disk space than is free, or if an analysis file would be too large. Lengths are
 * estimates here.
 */
export async function checkSamples(
  targets: readonly SamplesTarget[],
  tracks: readonly AudioSource[],
  maxBytes: number,
): Promise<void> {
  let bytes = 0;
  for (const { plan, analyses } of targets) {
    const track = tracks[plan.audio.track];
    if (track === undefined) continue;
    const shape = estimateShape(plan.audio, track);
    if (shape === undefined) continue;
    bytes += shape.samples * shape.channels * bytesOfSample;
    checkLimits(analyses, shape);
  }
  const [first] = targets;
  const room = first === undefined ? 0 : await scratchRoom(first.path, maxBytes);
  if (bytes > room) throw noRoom(room);
}

/** Undefined if the length of the source is a guess, which may be many times too long. */
function estimateShape(
  { channels, sampleRate, cut }: AudioPlan,
  { estimatedSeconds = 0, estimateIsGuess }: AudioSource,
): SamplesShape | undefined {
  if (cut !== undefined) return { channels, sampleRate, samples: cut.keptSamples };
  if (estimateIsGuess === true) return undefined;
  return { channels, sampleRate, samples: Math.round(estimatedSeconds * sampleRate) };
}

function checkLimits(analyses: readonly AnalysisProduct[], shape: SamplesShape): void {
  for (const product of analyses) {
    const { analysis } = product;
    const problem = analysis.kind === 'peaks' ? peaksProblem(analysis, shape) : undefined;
    if (problem === undefined) continue;
    orUnsupported(() => {
      throw new UnsupportedOutput(product, problem);
    });
  }
}

const eightBitCodecs = /^pcm_(?:u8|s8|alaw|mulaw)$/;

function originOf(track: AudioSource | undefined, file: MediaFacts): SamplesOrigin {
  const codec = track?.codec ?? '';
  const isEightBit = eightBitCodecs.test(codec);
  return { format: track?.formatName ?? '', codec, isLossy: track?.losslessBits === undefined, isEightBit, file };
}

/** Makes the files of all analyses, and then removes the samples. */
export async function analyseSamples(
  targets: readonly SamplesTarget[],
  encodedOf: (target: EncodeTarget) => EncodedFile,
  { tracks, facts: sourceFacts }: Pick<Source, 'tracks' | 'facts'>,
  limits: EncodeLimits,
  work: Work,
): Promise<Map<AnalysisProduct, MadeAnalysis>> {
  const { signal, advance } = work;
  const made = new Map<AnalysisProduct, MadeAnalysis>();
  for (const target of targets) {
    // Meters and pictures of sound load only for analyses, so that a container starts sooner.
    const { createAnalysis } = await import('./create-analysis.ts');
    const { plan, path, analyses } = target;
    const { streams, parts = [path] } = encodedOf(target);
    const { container } = plan;
    const { channels, sampleRate, track } = plan.audio;
    const soundSeconds = streams.audio?.seconds ?? 0;
    const shape = { channels, sampleRate, samples: Math.round(soundSeconds * sampleRate) };
    checkLimits(analyses, shape);
    const origin = originOf(tracks[track], sourceFacts);
    const running = analyses.map((product) => ({
      product,
      analysis: createAnalysis(product.analysis, shape, origin),
    }));
    const addToAll = (block: Float32Array): void => {
      for (const { analysis } of running) analysis.add(block);
    };
    await readSamples({ ...shape, paths: parts }, addToAll, { signal, onRead: () => advance('verify', 0) });
    const seconds = shape.samples / sampleRate;
    const measure: AnalysisRun['measure'] = async () => {
      const [measured] = await measureFiles([{ path, container, sampleRate, seconds }], limits, work);
      return measured ?? { momentary: [], shortTerm: [], truePeak: -Infinity };
    };
    for (const { product, analysis } of running) {
      const found = await analysis.finish(product.path, { limits, signal, measure });
      made.set(product, { kind: 'analysis', product, found, seconds: soundSeconds });
    }
    await rm(path, { recursive: true });
  }
  return made;
}
