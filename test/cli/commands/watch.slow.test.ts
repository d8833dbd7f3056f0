import { existsSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { beforeEach, expect, test } from 'vitest';
import { longWav, probeAudio, speechWav } from '../../support/media.ts';
import type { TestProcess } from '../../support/process.ts';
import { matrixTest } from '../../support/rows.ts';
import { CommandSandbox, matrixTestInSandbox } from '../command-sandbox.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

/** A working folder with the watched folder `in/`. */
class Inbox {
  readonly sandbox: CommandSandbox;
  readonly name: string;

  constructor(sandbox: CommandSandbox, name: string) {
    [this.sandbox, this.name] = [sandbox, name];
  }

  async add(name: string, source = speechWav): Promise<string> {
    await mkdir(join(this.sandbox.folder, this.name), { recursive: true });
    const path = join(this.sandbox.folder, this.name, name);
    await copyFile(source, path);
    return path;
  }

  watch(...options: string[]): TestProcess {
    return this.sandbox.npm('watch', '--', this.name, '--out', `${this.name}-out`, '--settle', '1', ...options);
  }

  /** Watches until nothing is left to do, and returns the lines of `--json`. */
  async drain(...options: string[]): Promise<{ code: number | null; states: string[]; output: string }> {
    const watch = this.watch('--once', '--json', ...options);
    const { code } = await watch.exited;
    const states = watch.logLines.map(({ source, state }) => `${String(source).split('/').at(-1)} ${String(state)}`);
    return { code, states: states.sort(), output: watch.output };
  }

  async outputs(): Promise<string[]> {
    return (await readdir(join(this.sandbox.folder, `${this.name}-out`), { recursive: true })).sort();
  }

  outputPath(name: string): string {
    return join(this.sandbox.folder, `${this.name}-out`, name);
  }

  /** Names of the runs without the ending of their ids: `watch-talk`. */
  async runs(): Promise<string[]> {
    const list = this.sandbox.npm('runs', '--', '--json', '--limit', '100');
    expect(await list.exited, list.output).toEqual({ code: 0, signal: null });
    const { runs } = JSON.parse(list.output) as { runs: { workflowId: string; state: string }[] };
    return runs.map(({ workflowId, state }) => `${workflowId.replace(/-[0-9a-f]{16}$/, '')} ${state}`).sort();
  }

  /** The process that encodes a file. */
  async ownerOf(fileName: string): Promise<number | undefined> {
    const media = join(this.sandbox.home, 'media');
    const folders = existsSync(media) ? await readdir(media) : [];
    const folder = folders.find((one) => one.startsWith(`watch-${fileName}`));
    if (folder === undefined) return undefined;
    const owners = (await readdir(join(media, folder))).filter((name) => /^\.owner.*\.json$/.test(name));
    // '.owner.1.json' sorts before '.owner.json', and names the later owner.
    const [owner] = owners.sort();
    if (owner === undefined) return undefined;
    return (JSON.parse(await readFile(join(media, folder, owner), 'utf8')) as { pid: number }).pid;
  }

  async isEncoding(): Promise<boolean> {
    const answer = await request(`http://127.0.0.1:${this.sandbox.ports.container}/health`).catch(() => undefined);
    return answer !== undefined && ((await answer.body.json()) as { activeJobs: number }).activeJobs === 1;
  }

  /** Kills the process that encodes a file, while a container works on it. */
  async killMidway(watch: TestProcess, fileName: string): Promise<void> {
    await watch.until('job', async () => await this.isEncoding());
    const pid = await this.ownerOf(fileName);
    if (pid === undefined || !(pid > 1)) throw new Error(`no process to kill: ${pid}`);
    process.kill(pid, 'SIGKILL');
    await watch.exited;
    expect(await this.outputs().catch(() => [])).toEqual([]);
  }
}

let count = 0;
let inbox: Inbox;
/** Runs of the earlier tests of this file. */
let earlier: string[];

const sandbox = await stopAfterAll(CommandSandbox.create());
await sandbox.start();
beforeEach(async () => {
  inbox = new Inbox(sandbox, `in-${(count += 1)}`);
  earlier = await inbox.runs();
});

/** The runs that this test has started. */
async function newRuns(): Promise<string[]> {
  const left = [...earlier];
  return (await inbox.runs()).filter((run) => {
    const index = left.indexOf(run);
    if (index === -1) return true;
    left.splice(index, 1);
    return false;
  });
}

test('watch encodes a file once it has stopped growing, and goes on after a file that fails', async () => {
  await inbox.add('talk.wav');
  await inbox.add('.hidden.wav');
  await inbox.add('film.wav.part');
  await writeFile(await inbox.add('empty.wav'), '');
  await writeFile(await inbox.add('broken.mp3'), 'Dear diary');
  const growing = await inbox.add('growing.wav');
  const whole = await readFile(growing);
  await truncate(growing, 10_000);

  // On a loaded machine, the file may not grow for a second.
  const watch = inbox.watch('-f', 'mp3_64', '-f', 'flac', '--settle', '3');
  let written = 10_000;
  await watch.until('results of the other files', async () => {
    if (written < whole.length - 100) await appendFile(growing, whole.subarray(written, (written += 10)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    return /talk\.wav → mp3_64 \+ flac: succeeded/.test(watch.output) && /broken\.mp3 .*failed/.test(watch.output);
  });
  expect(await inbox.outputs()).toEqual(['talk.flac', 'talk.mp3']);
  expect(watch.output).toMatch(/broken\.mp3 → mp3_64 \+ flac: failed\. The source cannot be decoded/);
  await appendFile(growing, whole.subarray(written));
  await watch.until('the grown file', () => /growing\.wav → mp3_64 \+ flac: succeeded/.test(watch.output));
  const [grown, original] = await Promise.all([probeAudio(inbox.outputPath('growing.flac')), probeAudio(speechWav)]);
  expect(grown.duration).toBeCloseTo(original.duration, 2);
  expect(await watch.stop('SIGINT')).toEqual({ code: 0, signal: null });

  const runs = ['watch-broken failed', 'watch-growing succeeded', 'watch-talk succeeded'];
  expect(await newRuns()).toEqual(runs);
  await rm(inbox.outputPath('talk.mp3'));
  // A restart encodes nothing again, not even a file whose outputs were moved away, and repeats no failure.
  const again = await inbox.drain('-f', 'mp3_64', '-f', 'flac');
  expect(again).toMatchObject({ code: 0, states: ['broken.mp3 skipped'] });
  expect(await newRuns()).toEqual(runs);

  // A new version of a file is encoded, and replaces the outputs of the old one on request only.
  await utimes(join(sandbox.folder, inbox.name, 'talk.wav'), new Date(), new Date());
  await copyFile(inbox.outputPath('talk.flac'), inbox.outputPath('talk.mp3'));
  const kept = await inbox.drain('-f', 'mp3_64', '-f', 'flac');
  expect(kept.states).toContain('talk.wav skipped');
  const replaced = await inbox.drain('-f', 'mp3_64', '-f', 'flac', '--overwrite');
  expect(replaced.states).toEqual(['broken.mp3 skipped', 'talk.wav succeeded']);
  expect((await probeAudio(inbox.outputPath('talk.mp3'))).codec).toBe('mp3');
});

test('two watches of a folder encode each file once', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const name of names) await inbox.add(`${name}.wav`);
  const both = await Promise.all([inbox.drain(), inbox.drain()]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(both.flatMap(({ states }) => states).sort()).toEqual(names.map((name) => `${name}.wav succeeded`));
  expect(await inbox.outputs()).toEqual(names.map((name) => `${name}.mp3`));
  expect(await newRuns()).toEqual(names.map((name) => `watch-${name} succeeded`));
});

test('another watch writes the result of one that is killed, without a second run', async () => {
  await inbox.add('long.wav', await longWav({ seconds: 900 }));
  const first = inbox.watch();
  await first.until('owner', async () => await inbox.ownerOf('long'));
  const second = inbox.watch();
  await second.until('start', () => second.output.includes('Watching'));
  await inbox.killMidway(first, 'long');
  await second.until('result', () => /long\.wav → mp3_128: succeeded/.test(second.output));
  expect(await inbox.outputs()).toEqual(['long.mp3']);
  expect(await second.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(await newRuns()).toEqual(['watch-long succeeded']);
  expect(await inbox.ownerOf('long')).toBeUndefined();
});

matrixTest('Ctrl-C leaves a run to the stack that continues, and the next watch writes its files', async () => {
  await inbox.add('long.wav', await longWav({ seconds: 900 }));
  const watch = inbox.watch();
  await watch.until('job', async () => await inbox.isEncoding());
  expect(await watch.stop('SIGINT')).toEqual({ code: 0, signal: null });
  expect(watch.output).toMatch(/long\.wav → mp3_128: detached\. Its run continues/);
  expect(await inbox.drain()).toMatchObject({ code: 0, states: ['long.wav succeeded'] });
  expect(await inbox.outputs()).toEqual(['long.mp3']);
  expect(await newRuns()).toEqual(['watch-long succeeded']);
});

test('watch refuses a folder whose outputs would be watched, and options that no run can have', async () => {
  await inbox.add('talk.wav');
  const nested = sandbox.npm('watch', '--', inbox.name, '--recursive', '--out', `${inbox.name}/out`);
  expect(await nested.exited).toEqual({ code: 1, signal: null });
  expect(nested.output).toMatch(/The output folder .*\/out is in the watched folder .* would be encoded again/);
  const priority = inbox.watch('--priority', '9');
  expect(await priority.exited).toEqual({ code: 1, signal: null });
  expect(priority.output).toMatch(/Invalid input: priority/);
  const missing = sandbox.npm('watch', '--', 'nowhere');
  expect(await missing.exited).toEqual({ code: 1, signal: null });
  expect(missing.output).toMatch(/There is no folder "nowhere"/);
});

matrixTestInSandbox(
  'watch continues the run of a watch that was killed together with its stack',
  async ({ sandbox: own }) => {
    const folder = new Inbox(own, 'in');
    await folder.add('long.wav', await longWav({ seconds: 900 }));
    await folder.killMidway(folder.watch(), 'long');
    // The parts of the killed command end soon after it.
    await expect.poll(async () => (await own.isTemporalUp()) || (await own.isContainerUp())).toBe(false);
    await own.start();
    expect(await folder.drain()).toMatchObject({ code: 0, states: ['long.wav succeeded'] });
    expect(await folder.outputs()).toEqual(['long.mp3']);
    expect(await folder.runs()).toEqual(['watch-long succeeded']);
  },
);

matrixTestInSandbox(
  'Ctrl-C cancels a run whose worker ends with it, and the next watch starts it',
  async ({ sandbox: own }) => {
    const folder = new Inbox(own, 'in');
    await folder.add('long.wav', await longWav({ seconds: 900 }));
    const cancelled = folder.watch();
    await cancelled.until('job', async () => await folder.isEncoding());
    expect(await cancelled.stop('SIGINT', 60_000)).toEqual({ code: 0, signal: null });
    expect(cancelled.output).toMatch(/long\.wav → mp3_128: cancelled\. It is encoded at the next start\./);
    expect(await own.hasEnded()).toBe(true);
    await own.start();
    expect(await folder.drain()).toMatchObject({ code: 0, states: ['long.wav succeeded'] });
    expect(await folder.runs()).toEqual(['watch-long cancelled', 'watch-long succeeded']);
  },
);
