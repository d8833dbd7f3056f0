/**
 * What does the transcriber on this machine cost beside faster-whisper itself? Both transcribe a spoken text with tiny.en
 * in a process of their own, which imports the engine and loads the model: bench/transcribe.py calls the engine, and the
 * other side is one request to the transcriber, or a run of `processing` in chunks. `npm run bench:transcribe -- [seconds]
 * [rounds]`, 180 and 3 by default.
 */
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultLocalKey } from '../contract/local-provider.ts';
import { ProcessingOutcome } from '../contract/workflow/processing.ts';
import { makeMedia } from '../test/support/media-files.ts';
import { run } from '../test/support/process.ts';
import { TestStack } from '../test/support/stack.ts';
import { speak, Transcriber } from '../test/support/transcriber.ts';
import { toolPath } from '../test/support/tools.ts';
import { alignTexts, plainWords } from '../test/support/word-errors.ts';
import { type Cost, cost, cpuSecondsOf } from './cost.ts';
import { peakMebibytes } from './process-memory.ts';
import { inUnit, ratio, report } from './report.ts';

const [seconds = 180, rounds = 3] = process.argv.slice(2).map(Number);
const python = await toolPath('TRANSCRIBER_PYTHON');
const program = fileURLToPath(new URL('transcribe.py', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));

interface Transcribed extends Cost {
  text: string;
  /** Peak memory of the process with the engine. */
  mebibytes: number;
}

const file = await spokenFile();

/** The text of a recorded talk of 569 s, repeated if that is not enough. */
async function spokenFile(): Promise<string> {
  const recorded = new URL('../test/fixtures/talk-in-chunks.json', import.meta.url);
  const { said } = JSON.parse(await readFile(recorded, 'utf8')) as { said: string };
  const whole = join(folder, 'whole.wav');
  await speak(Array.from({ length: Math.ceil(seconds / 500) }, () => said).join(' '), whole);
  return await makeMedia(folder, 'talk.wav', '-i', whole, '-t', `${seconds}`, '-ar', '16000');
}

async function byEngine(): Promise<Transcribed> {
  let said = '';
  const spent = await cost(async () => {
    const { code, output } = await run(python, ['-B', program, file], { timeoutMs: 3_600_000 });
    if (code !== 0) throw new Error(output);
    said = output;
  });
  return { ...spent, ...(JSON.parse(said) as Pick<Transcribed, 'text' | 'mebibytes'>) };
}

async function byRequest(): Promise<Transcribed> {
  let [text, mebibytes] = ['', 0];
  const spent = await cost(async () => {
    const transcriber = await Transcriber.start();
    const answer = await transcriber.post(file, {
      response_format: 'verbose_json',
      'timestamp_granularities[]': ['segment', 'word'],
    });
    ({ text } = (await answer.json()) as { text: string });
    mebibytes = peakMebibytes(transcriber.process.pid);
    await transcriber.stop();
  });
  return { ...spent, text, mebibytes };
}

/** Processor time of Temporal, worker, container and transcriber. The time does not include the start of the first three. */
async function byRun(): Promise<Transcribed> {
  const transcriber = await Transcriber.start();
  const stack = await TestStack.start({
    sharesMedia: true,
    workerEnvironment: { LOCAL_PROVIDER_URL: transcriber.url },
  });
  const { container, temporal, worker } = stack;
  const parts = [temporal.process.pid, worker.pid, container.process.pid];
  const cpuOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  try {
    await copyFile(file, join(container.mediaRoot, 'talk.wav'));
    const [startMs, startCpu] = [performance.now(), cpuOf(parts)];
    const handle = await stack.run('processing', {
      sourceUrl: container.fileUrl('talk.wav'),
      uploadUrlPrefix: container.fileUrl('out/'),
      provider: defaultLocalKey,
    });
    const { transcript } = ProcessingOutcome.parse(await handle.result());
    const wallSeconds = (performance.now() - startMs) / 1000;
    return {
      wallSeconds,
      cpuSeconds: cpuOf([...parts, transcriber.process.pid]) - startCpu,
      text: await readFile(new URL(transcript?.txt ?? ''), 'utf8'),
      mebibytes: peakMebibytes(transcriber.process.pid),
    };
  } finally {
    await stack.stop();
    await transcriber.stop();
  }
}

/** Share of the engine's words that the other text does not have. */
function difference({ text }: Transcribed, engine: Transcribed): number {
  const words = plainWords(engine.text);
  return alignTexts(words, plainWords(text)).errors / words.length;
}

try {
  const sides: Record<'engine' | 'request' | 'run', Transcribed[]> = { engine: [], request: [], run: [] };
  for (let round = 0; round < rounds; round += 1) {
    sides.engine.push(await byEngine());
    sides.request.push(await byRequest());
    sides.run.push(await byRun());
  }
  const cpu = (all: readonly Transcribed[]): number[] => all.map(({ cpuSeconds }) => cpuSeconds);
  const figuresOf = (all: readonly Transcribed[]) => ({
    'audio per second': inUnit('s', ...all.map(({ wallSeconds }) => seconds / wallSeconds)),
    CPU: ratio(cpu(all), cpu(sides.engine), 'faster-whisper'),
    memory: inUnit('MiB', ...all.map(({ mebibytes }) => mebibytes)),
    'other words': inUnit('%', ...all.map((one, round) => 100 * difference(one, sides.engine[round] ?? one))),
  });
  report('transcribe', `faster-whisper, ${seconds} s`, figuresOf(sides.engine));
  report('transcribe', `a request, ${seconds} s`, figuresOf(sides.request));
  report('transcribe', `a run of \`processing\`, ${seconds} s`, figuresOf(sides.run));
} finally {
  await rm(folder, { recursive: true });
}
