import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TestContainer } from '../../support/container.ts';
import { ffmpegProcessesUnder } from '../../support/ffmpeg-processes.ts';
import type { Kind } from '../kind.ts';
import { kinds } from '../kinds.ts';
import { randomNumbers } from '../../support/random.ts';
import { fileOf } from '../recipe.ts';
import { mutate } from './mutate.ts';

const execute = promisify(execFile);

/** Low limits, because a decompression bomb of minutes and megabytes is as good as one of hours and gigabytes. */
const limits = {
  MAX_SOURCE_DURATION_SECONDS: '600',
  MAX_OUTPUT_BYTES: String(200 * 1024 ** 2),
  STALL_TIMEOUT_SECONDS: '20',
  JOB_TIMEOUT_SECONDS: '60',
};

/** Correct refusals of a damaged source. Other failures are bugs or hangs. */
export const rightRefusals: ReadonlySet<string> = new Set([
  'undecodable_source',
  'source_truncated',
  'no_audio',
  'unsupported_format',
]);
/** Refusals that are correct if the source or an output exceeds a limit. */
const limitRefusals = new Set(['output_invalid', 'source_too_long']);

/** Bytes: twice the value in docs/measurements.md, "Memory". */
const mostResidentBytes = 300 * 1024 ** 2;

const mostSecondsOff = 0.05;

/** Sources that plain ffmpeg decodes as expected while they are intact. */
const corpus: readonly Kind[] = kinds.filter(
  ({ encode, reference }) => encode.kind !== 'refused' && reference === undefined,
);

export interface FuzzCase {
  index: number;
  what: string;
  bytes: Buffer;
}

/** Creates the case with this number; each is independent, so that any can be repeated. */
export async function makeCase(seed: number, index: number): Promise<FuzzCase> {
  const random = randomNumbers(seed * 1_000_003 + index);
  const pick = (): Kind => corpus[Math.floor(random() * corpus.length)] ?? raise('no kinds');
  const [kind, other] = [pick(), pick()];
  const [whole, otherWhole] = await Promise.all(
    [kind, other].map(async ({ source }) => await readFile(await fileOf(source))),
  );
  const { bytes, ways } = mutate(whole ?? raise('no file'), otherWhole ?? raise('no file'), random);
  return { index, bytes, what: `${kind.name}: ${ways.join(', ')}` };
}

function raise(what: string): never {
  throw new Error(what);
}

export class Fuzz {
  readonly container: TestContainer;

  private constructor(container: TestContainer) {
    this.container = container;
  }

  static async start(): Promise<Fuzz> {
    return new Fuzz(await TestContainer.start(limits));
  }

  /** Encodes the file of a case; returns the outcome and any fault. */
  async try({ index, bytes }: FuzzCase): Promise<{ outcome: string; fault?: string }> {
    const { container } = this;
    const [source, output] = [`${index}`, `${index}.wav`];
    await writeFile(join(container.mediaRoot, source), bytes);
    try {
      const answer = await container.call('POST', '/encode', {
        sourceUrl: container.fileUrl(source),
        outputs: [{ format: 'wav', uploadUrl: container.fileUrl(output) }],
      });
      if (answer.status !== 200) {
        const { code, error } = answer.body;
        const isRight = rightRefusals.has(code) || (limitRefusals.has(code) && /limit/.test(error));
        return { outcome: code, ...(!isRight && { fault: `${code}: ${error}` }) };
      }
      const made = await wavSeconds(join(container.mediaRoot, output));
      const plain = await plainSeconds(join(container.mediaRoot, source), answer.body.outputs[0]);
      const isRight = plain.some((seconds) => Math.abs(seconds - made) <= mostSecondsOff);
      const expected = plain.map((seconds) => seconds.toFixed(3)).join(' or ');
      return { outcome: 'success', ...(!isRight && { fault: `${made.toFixed(3)} s instead of ${expected} s` }) };
    } finally {
      await rm(join(container.mediaRoot, source), { force: true });
      await rm(join(container.mediaRoot, output), { force: true });
    }
  }

  /** Finds jobs, folders and processes that the cases left behind, and excessive memory. */
  async findLeftovers(): Promise<string[]> {
    const { container } = this;
    if (container.process.exit !== undefined)
      return [`the container has ended: ${container.process.output.slice(-2000)}`];
    const { activeJobs } = await container.health();
    const folders = await container.jobFolders();
    const processes = await ffmpegProcessesUnder(container.scratchDir);
    const status = await readFile(`/proc/${container.process.pid}/status`, 'utf8');
    const peakBytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    return [
      ...(activeJobs === 0 ? [] : [`${activeJobs} jobs hold a slot`]),
      ...(folders.length === 0 ? [] : [`${folders.length} folders of jobs`]),
      ...(processes.length === 0 ? [] : [`${processes.length} processes of ffmpeg`]),
      ...(peakBytes < mostResidentBytes ? [] : [`${Math.round(peakBytes / 1024 ** 2)} MiB of memory`]),
    ];
  }

  async stop(): Promise<void> {
    await this.container.stop();
  }

  /** Faults of the first cases of a seed, and their leftovers. */
  async findFaults(seed: number, count: number): Promise<string[]> {
    const faults: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const testCase = await makeCase(seed, index);
      const { fault } = await this.try(testCase);
      if (fault !== undefined) faults.push(`${index} (${testCase.what}): ${fault}`);
    }
    return [...faults, ...(await this.findLeftovers())];
  }
}

/** Stores the file of a faulty case and returns its path. */
export async function keepCase({ index, bytes }: FuzzCase, seed: number): Promise<string> {
  const folder = join(tmpdir(), 'holdfast-fuzz');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${seed}-${index}`);
  await writeFile(path, bytes);
  return path;
}

/** Duration by the header of a WAV from ffmpeg, which may contain other chunks before. */
async function wavSeconds(path: string): Promise<number> {
  const bytes = await readFile(path);
  const bytesPerSecond = bytes.readUInt32LE(bytes.indexOf('fmt ') + 16);
  return bytes.readUInt32LE(bytes.indexOf('data') + 4) / bytesPerSecond;
}

/**
 * Durations that plain ffmpeg may yield: of the decoded samples, with silence in gaps of the timestamps, and with silence
 * before sound that starts after another stream.
 */
async function plainSeconds(path: string, { channels, sampleRate }: { channels: number; sampleRate: number }) {
  const decode = async (...filter: string[]): Promise<number> => {
    const form = ['-ac', String(channels), '-ar', String(sampleRate), '-c:a', 'pcm_s16le', '-f', 'wav', '-y'];
    const target = `${path}.plain.wav`;
    await execute('ffmpeg', ['-v', 'quiet', '-nostdin', '-i', path, '-map', '0:a:0', ...filter, ...form, target]);
    const seconds = await wavSeconds(target);
    await rm(target);
    return seconds;
  };
  return [
    await decode(),
    await decode('-af', 'aresample=async=1'),
    await decode('-af', 'aresample=async=1:first_pts=0'),
  ];
}
