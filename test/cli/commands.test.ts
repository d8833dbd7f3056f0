import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { longWav, musicOgg, probeAudio, speechWav } from '../support/media.ts';
import { freePort } from '../support/ports.ts';
import { run, TestProcess, testEnvironment, type Environment } from '../support/process.ts';

/** The real `npm run …`, as a person calls it from a folder of their own; ports and state are this test's. */

// Each starts several programs, and the two cores may have other work.
vi.setConfig({ testTimeout: 150_000 });

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
let home: string;
let folder: string;
let ports: { temporal: number; container: number };
let environment: Environment;
const started: TestProcess[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'holdfast-home-'));
  folder = await mkdtemp(join(tmpdir(), 'holdfast-user-'));
  ports = { temporal: await freePort(), container: await freePort() };
  environment = testEnvironment({
    HOLDFAST_HOME: home,
    TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
    PORT: `${ports.container}`,
  });
  await copyFile(speechWav, join(folder, 'talk.wav'));
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((command) => command.stop('SIGTERM')));
  await Promise.all([home, folder].map((path) => rm(path, { recursive: true, force: true })));
});

function npm(...args: string[]): TestProcess {
  const command = new TestProcess(
    `npm ${args[0]}`,
    'npm',
    ['--silent', '--prefix', projectRoot, 'run', ...args],
    environment,
    folder,
  );
  started.push(command);
  return command;
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  const { output } = await run('pgrep', ['-P', `${pid}`]);
  return output.trim().split('\n').map(Number);
}

/** Never a pid that was not found: -1 and 0 are whole crowds. */
function killProcess(pid: number | undefined): void {
  if (pid === undefined || !(pid > 1)) throw new Error(`no process to kill: ${pid}`);
  process.kill(pid, 'SIGKILL');
}

async function isOpen(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function everythingHasEnded(): Promise<boolean> {
  return !(await isOpen(ports.temporal)) && !(await isOpen(ports.container)) && !existsSync(join(home, 'stack.sock'));
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

test('encode: the right files, their facts, nothing left running, and the run in the Web UI afterwards', async () => {
  const encode = npm('encode', '--', 'talk.wav', '--format', 'mp3_64', '--format', 'opus_24');
  expect(await encode.exited, encode.output).toEqual({ code: 0, signal: null });

  expect((await readdir(folder)).sort()).toEqual(['talk.mp3', 'talk.opus', 'talk.wav']);
  const [mp3, opus] = [await probeAudio(join(folder, 'talk.mp3')), await probeAudio(join(folder, 'talk.opus'))];
  expect(mp3).toMatchObject({ codec: 'mp3', channels: 1, format: 'mp3' });
  expect(opus).toMatchObject({ codec: 'opus', channels: 1, format: 'ogg' });
  // ffprobe counts an MP3's padding.
  expect(Math.abs(mp3.duration - 15.176)).toBeLessThan(0.2);
  expect(Math.abs(opus.duration - 15.176)).toBeLessThan(0.05);

  expect(encode.output).toContain('talk.wav → mp3_64 + opus_24');
  for (const name of ['talk.mp3', 'talk.opus']) expect(encode.output).toContain(await sha256(join(folder, name)));
  expect(encode.output).not.toMatch(/[^\P{Cc}\n]/u);
  expect(await readdir(join(home, 'media'))).toEqual([]);
  expect(await everythingHasEnded()).toBe(true);

  const [address = ''] = /http:\S+\/history/.exec(encode.output) ?? [];
  const [, workflowId = ''] = /\/workflows\/(encode-talk-[0-9a-f]+)\//.exec(address) ?? [];
  const start = npm('start');
  await start.until('ready stack', () => start.output.includes('Holdfast is ready.'), 60_000);
  const page = await request(address.replace(/\/workflows\/.*$/, '/workflows'));
  expect(page.statusCode).toBe(200);
  const origin = new URL(address).origin;
  const answer = await request(`${origin}/api/v1/namespaces/default/workflows/${workflowId}`);
  const { workflowExecutionInfo } = (await answer.body.json()) as { workflowExecutionInfo: { status: string } };
  expect(workflowExecutionInfo.status).toBe('WORKFLOW_EXECUTION_STATUS_COMPLETED');

  expect(await start.stop('SIGINT')).toEqual({ code: 0, signal: null });
  expect(start.output).toMatch(/Stopping the worker.*Stopping the container.*Stopping Temporal.*Stopped\./s);
  expect(await everythingHasEnded()).toBe(true);
});

test('chunk and process use the stack of `npm start`, and leave it running', async () => {
  const start = npm('start');
  await start.until('ready stack', () => start.output.includes('Holdfast is ready.'), 60_000);
  await copyFile(musicOgg, join(folder, 'music.ogg'));

  const [chunk, process] = [
    npm('chunk', '--', 'talk.wav', '--chunk-duration', '5', '--overlap-duration', '1'),
    npm('process', '--', 'music.ogg', '--chunk-duration', '10', '--out', 'out'),
  ];
  expect(await chunk.exited, chunk.output).toEqual({ code: 0, signal: null });
  expect(await process.exited, process.output).toEqual({ code: 0, signal: null });

  const chunks = (await readdir(join(folder, 'talk-chunks'))).sort();
  expect(chunks).toHaveLength(4);
  expect((await probeAudio(join(folder, 'talk-chunks', chunks[1] ?? ''))).duration).toBeCloseTo(5, 1);
  const processed = await readdir(join(folder, 'out'));
  expect(processed.filter((name) => name.startsWith('encoded'))).toHaveLength(1);
  expect(processed.filter((name) => name.startsWith('chunk'))).toHaveLength(3);
  expect(await isOpen(ports.temporal)).toBe(true);

  const second = npm('start');
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.output).toMatch(/Everything runs already/);
});

test('commands at the same time share one stack, and the one that started it waits for the other', async () => {
  const long = await longWav({ seconds: 600 });
  const first = npm('encode', '--', long, '--out', 'a');
  await first.until('run', () => first.output.includes('.wav →'));
  const second = npm('encode', '--', long, '--format', 'opus_24', '--out', 'b');
  for (const command of [first, second]) {
    expect(await command.exited, command.output).toEqual({ code: 0, signal: null });
  }
  expect(second.output).not.toContain('Starting Temporal');
  for (const name of ['a', 'b']) expect(await readdir(join(folder, name))).toHaveLength(1);
  expect(await everythingHasEnded()).toBe(true);
});

test('a file that is no media fails with one sentence and writes nothing', async () => {
  await writeFile(join(folder, 'notes.mp3'), 'Dear diary');
  const encode = npm('encode', '--', 'notes.mp3', '--format', 'flac');
  expect(await encode.exited).toEqual({ code: 1, signal: null });
  expect(encode.output).toMatch(/notes\.mp3 → flac failed\.\nThe source cannot be decoded/);
  expect(encode.output).not.toMatch(/^\s+at /m);
  expect((await readdir(folder)).sort()).toEqual(['notes.mp3', 'talk.wav']);
  expect(await everythingHasEnded()).toBe(true);
});

test('what can be refused is refused before anything starts', async () => {
  await writeFile(join(folder, 'talk.mp3'), 'mine');
  const encode = npm('encode', '--', 'talk.wav');
  expect(await encode.exited).toEqual({ code: 1, signal: null });
  expect(encode.output).toMatch(/talk\.mp3 already exists.*--force/);
  expect(existsSync(join(home, 'temporal.db'))).toBe(false);

  const impossible = npm('process', '--', 'talk.wav', '--chunk-duration', '5', '--overlap-duration', '5');
  expect(await impossible.exited).toEqual({ code: 1, signal: null });
  expect(impossible.output).toMatch(/must be shorter than chunkDuration/);
  expect(existsSync(join(home, 'temporal.db'))).toBe(false);
});

test('Ctrl-C cancels the run that nothing would be left to work on, and says so', async () => {
  const long = await longWav({ seconds: 1800, channels: 2 });
  const encode = npm('encode', '--', long, '--format', 'mp3_128', '--format', 'aac_128', '--format', 'opus_96');
  await encode.until('progress', () => /^(?:fetching|reading|encoding)/m.test(encode.output));
  expect(await encode.stop('SIGINT', 40_000)).toEqual({ code: 130, signal: null });
  expect(encode.output).toMatch(/Cancelling the run.*Cancelled\. No file was written\./s);
  expect(await readdir(folder)).toEqual(['talk.wav']);
  expect(await readdir(join(home, 'media'))).toEqual([]);
  expect(await everythingHasEnded()).toBe(true);
});

test('Ctrl-C leaves a run to the stack of `npm start`, and says where its files will be', async () => {
  const start = npm('start');
  await start.until('ready stack', () => start.output.includes('Holdfast is ready.'), 60_000);
  const long = await longWav({ seconds: 600 });
  const encode = npm('encode', '--', long, '--format', 'opus_24');
  await encode.until('progress', () => /^(?:fetching|reading|encoding)/m.test(encode.output));
  expect(await encode.stop('SIGINT')).toEqual({ code: 130, signal: null });
  const [, filesFolder = ''] = /Detached: .*Its files:\s+(\S+)/s.exec(encode.output) ?? [];
  await start.until('file of the detached run', async () => (await readdir(filesFolder)).length === 1);
});

test('nothing is left when the command is killed outright', async () => {
  const start = npm('start');
  await start.until('ready stack', () => start.output.includes('Holdfast is ready.'), 60_000);
  const [setupPid] = await childrenOf(start.pid);
  const [cliPid] = await childrenOf(setupPid);
  killProcess(cliPid);
  await start.exited;
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline && ((await isOpen(ports.temporal)) || (await isOpen(ports.container)))) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect([await isOpen(ports.temporal), await isOpen(ports.container)]).toEqual([false, false]);
});

test('a part that dies stops everything, and the command says which', async () => {
  const start = npm('start');
  await start.until('ready stack', () => start.output.includes('Holdfast is ready.'), 60_000);
  const health = await request(`http://127.0.0.1:${ports.container}/health`);
  expect(health.statusCode).toBe(200);
  const [setupPid] = await childrenOf(start.pid);
  const [cliPid] = await childrenOf(setupPid);
  const parts = await childrenOf(cliPid);
  const commands = await Promise.all(parts.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')));
  killProcess(parts.find((_, index) => commands[index]?.includes('container/main.ts')));
  expect(await start.exited).toEqual({ code: 1, signal: null });
  expect(start.output).toMatch(/The container ended unexpectedly by SIGKILL\./);
  expect(await everythingHasEnded()).toBe(true);
});
