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

/** Minutes of a bomb are as good as hours, and megabytes as gigabytes. */
const limits = {
  MAX_SOURCE_DURATION_SECONDS: '600',
  MAX_OUTPUT_BYTES: String(200 * 1024 ** 2),
  STALL_TIMEOUT_SECONDS: '20',
  JOB_TIMEOUT_SECONDS: '60',
};

/** Refusals that are right for a damaged source. What else fails is our fault, or a hang. */
export const rightRefusals: ReadonlySet<string> = new Set([
  'undecodable_source',
  'source_truncated',
  'no_audio',
  'unsupported_format',
]);
/** An output beyond its limit is one too, and a source beyond its length. */
const limitRefusals = new Set(['output_invalid', 'source_too_long']);

/** docs/measurements.md, "Memory", and as much again. Bytes. */
const mostResidentBytes = 300 * 1024 ** 2;

const mostSecondsOff = 0.05;

/** Sources of which plain ffmpeg decodes what is expected while they are whole. */
const corpus: readonly Kind[] = kinds.filter(
  ({ encode, reference }) => encode.kind !== 'refused' && reference === undefined,
);

export interface FuzzCase {
  index: number;
  /** which kind of source, and what was done to it */
  what: string;
  bytes: Buffer;
}

/** The case of that number: each is made on its own, so that any can be repeated. */
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

  /** Encodes the file of a case. Answers what came of it, and what is wrong with that. */
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
      const told = plain.map((seconds) => seconds.toFixed(3)).join(' or ');
      return { outcome: 'success', ...(!isRight && { fault: `${made.toFixed(3)} s instead of ${told} s` }) };
    } finally {
      await rm(join(container.mediaRoot, source), { force: true });
      await rm(join(container.mediaRoot, output), { force: true });
    }
  }

  /** What the cases so far have left behind, and what they took. */
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

  /** What is wrong of the first cases of a seed, and what they have left behind. */
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

/** Keeps the file of a case that went wrong; answers its path. */
export async function keepCase({ index, bytes }: FuzzCase, seed: number): Promise<string> {
  const folder = join(tmpdir(), 'holdfast-fuzz');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${seed}-${index}`);
  await writeFile(path, bytes);
  return path;
}

/** By the header of a WAV that ffmpeg wrote, which may leave room for other chunks before. */
async function wavSeconds(path: string): Promise<number> {
  const bytes = await readFile(path);
  const bytesPerSecond = bytes.readUInt32LE(bytes.indexOf('fmt ') + 16);
  return bytes.readUInt32LE(bytes.indexOf('data') + 4) / bytesPerSecond;
}

/**
 * What plain ffmpeg decodes: its samples; with silence for holes in the time stamps, which is what a recording with holes should
 * become; and with silence before as well, where the sound begins after another stream.
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
