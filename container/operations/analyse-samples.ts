import { rm } from 'node:fs/promises';
import type { MediaFacts } from '../../contract/http/media.ts';
import type { AnalysisSettings } from '../../contract/analysis-settings.ts';
import { UnsupportedOutput } from '../../contract/output-settings.ts';
import type { AnalysisResult, AnalysisRun } from '../../engine/products/analysis/analysis.ts';
import { analysisProblem, createAnalysis } from '../../engine/products/analysis/create-analysis.ts';
import {
  bytesOfSample,
  readSamples,
  type SamplesOrigin,
  type SamplesShape,
} from '../../engine/products/analysis/samples.ts';
import type { EncodeLimits } from '../../engine/ffmpeg/limits.ts';
import { measureFiles } from '../../engine/sound/loudness/measure-files.ts';
import type { EncodedFile, EncodeTarget } from '../../engine/plan/encoded-file.ts';
import type { OutputPlan } from '../../engine/plan/planned-output.ts';
import { noRoom, scratchRoom } from '../../engine/source/raw-samples.ts';
import type { AudioSource, Source } from '../../engine/source/source.ts';
import { orUnsupported } from '../../engine/unsupported.ts';
import type { Work } from '../../engine/work.ts';
import type { AudioPlan } from '../../engine/plan/audio-plan.ts';

/** An output that is made of samples, and where its file goes. */
interface AnalysisTarget extends EncodeTarget {
  plan: OutputPlan & { analysis: AnalysisSettings };
}

export function isAnalysis<Target extends EncodeTarget>(target: Target): target is Target & AnalysisTarget {
  return target.plan.analysis !== undefined;
}

/** Samples that are decoded once for all analyses of them. */
export interface SamplesTarget extends EncodeTarget {
  analyses: AnalysisTarget[];
}

/** Analyses of the same samples, by the track, the cut and what is done to speakers, share them. */
export function planSamples(analyses: readonly AnalysisTarget[], pathOf: (index: number) => string): SamplesTarget[] {
  const groups = Map.groupBy(analyses, ({ plan }) => JSON.stringify(plan.audio));
  return [...groups.values()].flatMap((group, index) => {
    // A report measures them as one file.
    const first = group.find((target) => target.plan.analysis.kind === 'report') ?? group[0];
    return first === undefined ? [] : [{ plan: first.plan, path: pathOf(index), analyses: group }];
  });
}

/** Throws where the samples would not find room, or an analysis would become too large, as far as that can be told before the decode. */
export async function checkSamples(
  targets: readonly SamplesTarget[],
  tracks: readonly AudioSource[],
  maxBytes: number,
): Promise<void> {
  let bytes = 0;
  for (const {
    plan: { audio },
    analyses,
  } of targets) {
    const track = tracks[audio?.track ?? 0];
    if (audio === undefined || track === undefined) continue;
    const shape = estimateShape(audio, track);
    bytes += shape.samples * shape.channels * bytesOfSample;
    checkLimits(analyses, shape);
  }
  const [first] = targets;
  const room = first === undefined ? 0 : await scratchRoom(first.path, maxBytes);
  if (bytes > room) throw noRoom(room);
}

function estimateShape({ channels, sampleRate, cut }: AudioPlan, { estimatedSeconds = 0 }: AudioSource): SamplesShape {
  const samples = cut === undefined ? Math.round(estimatedSeconds * sampleRate) : cut.to - cut.from;
  return { channels, sampleRate, samples };
}

function checkLimits(analyses: readonly AnalysisTarget[], shape: SamplesShape): void {
  for (const { plan } of analyses) {
    const problem = analysisProblem(plan.analysis, shape);
    if (problem === undefined) continue;
    orUnsupported(() => {
      throw new UnsupportedOutput(plan, problem);
    });
  }
}

const eightBitCodecs = /^pcm_(?:u8|s8|alaw|mulaw)$/;

function originOf(track: AudioSource | undefined, file: MediaFacts): SamplesOrigin {
  const codec = track?.codec ?? '';
  const isEightBit = eightBitCodecs.test(codec);
  return { format: track?.formatName ?? '', codec, isLossy: track?.losslessBits === undefined, isEightBit, file };
}

/** Makes the files of all analyses, one set of samples after the other, and removes these. Answers what is to be told of each. */
export async function analyseSamples(
  targets: readonly SamplesTarget[],
  made: ReadonlyMap<EncodeTarget, EncodedFile>,
  { tracks, facts: sourceFacts }: Pick<Source, 'tracks' | 'facts'>,
  limits: EncodeLimits,
  job: Work,
): Promise<Map<EncodeTarget, AnalysisResult>> {
  const { signal, advance } = job;
  const facts = new Map<EncodeTarget, AnalysisResult>();
  for (const target of targets) {
    const { plan, path, analyses } = target;
    const file = made.get(target);
    const { channels = 0, sampleRate = 0 } = plan.audio ?? {};
    const shape = {
      channels,
      sampleRate,
      samples: Math.round((file?.streams.audio?.seconds ?? 0) * sampleRate),
    };
    checkLimits(analyses, shape);
    const origin = originOf(tracks[plan.audio?.track ?? 0], sourceFacts);
    const running = analyses.map((output) => ({
      output,
      analysis: createAnalysis(output.plan.analysis, shape, origin),
    }));
    const addToAll = (block: Float32Array): void => {
      for (const { analysis } of running) analysis.add(block);
    };
    const onRead = (): void => advance('verify', 0);
    await readSamples({ ...shape, paths: file?.parts ?? [path] }, addToAll, { signal, onRead });
    const { container } = plan;
    const seconds = shape.samples / sampleRate;
    const measure: AnalysisRun['measure'] = async () => {
      const [measured] = await measureFiles([{ path, container, sampleRate, seconds }], limits, job);
      return measured ?? { momentary: [], shortTerm: [], truePeak: -Infinity };
    };
    for (const { output, analysis } of running)
      facts.set(output, await analysis.finish(output.path, { limits, signal, measure }));
    await rm(path, { recursive: true });
  }
  return facts;
}
