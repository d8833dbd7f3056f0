import { containerFacts, containers, type ContainerName } from '../../../contract/formats.ts';
import { decodeGuards } from '../../ffmpeg/guards.ts';
import { hasSoxr } from '../../ffmpeg/tool-check.ts';
import type { Work } from '../../work.ts';
import { measureRun, meterOptions, type Measured } from './measure-part.ts';
import { edgeFilters, joinMeterParts, planMeterParts, type MeterPart, wholePart } from './parts.ts';
import { runPool, type PoolTask } from '../../pool.ts';
import type { EncodeLimits } from '../../ffmpeg/limits.ts';

export interface EncodedAudio {
  path: string;
  container: ContainerName;
  /** Hz. */
  sampleRate: number;
  seconds: number;
}

function measurePart(file: EncodedAudio, part: MeterPart, limits: EncodeLimits, job: Work): PoolTask<Measured> {
  const { path, container, sampleRate } = file;
  const { readFrom, readTo } = part;
  const seek = readFrom === 0 ? [] : ['-ss', String(readFrom)];
  const length = readTo === undefined ? [] : ['-t', String(readTo - readFrom)];
  const inputOptions = [...decodeGuards, '-f', containers[container].demuxer, ...seek, ...length];
  return async (signal) => {
    const options = meterOptions(edgeFilters(part), { sampleRate, withSoxr: await hasSoxr() });
    return await measureRun({
      ...{ input: path, inputOptions, options, limits, signal },
      onProgress: () => job.advance('measure', undefined),
    });
  };
}

/** Decodes and measures each file, in parts on every core. */
export async function measureFiles(
  files: readonly EncodedAudio[],
  limits: EncodeLimits,
  job: Work,
): Promise<Measured[]> {
  const { encodeParallelism: processes } = limits;
  const partsOf = files.map(({ container, seconds, sampleRate }) => {
    // Raw frames cannot be sought exactly. At other rates, a second is not a whole number of blocks.
    const isSought = containerFacts(container).isRaw !== true && sampleRate % 10 === 0;
    return isSought ? planMeterParts(seconds, processes) : [wholePart];
  });
  const tasks = files.flatMap((file, index) =>
    (partsOf[index] ?? []).map((part) => measurePart(file, part, limits, job)),
  );
  const measured = await runPool(tasks, processes, job.signal);
  const all: Measured[] = [];
  let next = 0;
  for (const [index, file] of files.entries()) {
    const parts = partsOf[index] ?? [];
    const joined = joinMeterParts(parts, measured.slice(next, next + parts.length));
    next += parts.length;
    all.push(joined ?? (await measurePart(file, wholePart, limits, job)(job.signal)));
  }
  return all;
}
