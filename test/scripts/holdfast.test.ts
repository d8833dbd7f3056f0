import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectRoot } from '../support/project-files.ts';
import { testEnvironment } from '../support/process.ts';

const binary = join(projectRoot, 'scripts/holdfast.mjs');

async function run(args: string[], variables = {}): Promise<string> {
  const options = { env: testEnvironment(variables), timeout: 60_000 };
  return await promisify(execFile)(process.execPath, [binary, ...args], options).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

test('`holdfast` runs the commands of the command line and the processes of a deployment', async () => {
  const [all, encode, container, worker, vmaf, vmafHelp] = await Promise.all([
    run([]),
    run(['encode', '--help']),
    run(['container'], { PORT: 'none' }),
    run(['worker'], { CONTAINER_URLS: 'none' }),
    run(['setup-vmaf'], { VMAF_FFMPEG_PATH: process.execPath }),
    run(['setup-vmaf', '--help']),
  ]);
  expect(all).toMatch(/^Usage: holdfast \[options\] \[command\][^]*container, worker, server, codec-server/);
  expect(encode).toMatch(/^Usage: holdfast encode <file-folder-or-URL>…/);
  expect(container).toMatch(/^The container cannot start\. PORT/);
  expect(worker).toMatch(/^CONTAINER_URLS/m);
  expect(vmaf).toBe(`${process.execPath}\n`);
  expect(vmafHelp).toMatch(/^Usage: holdfast setup-vmaf\n/);
});

test('a command says how to name a file that starts with a dash', async () => {
  expect(await run(['encode', '-dash talk.wav'])).toContain("If this is a file, write './-dash talk.wav'.\n");
});

test.each(['encode', 'npx'])(
  'a command of the event %s refuses an option that npm took, and says how to pass it',
  async (event) => {
    const npm = { npm_lifecycle_event: event, npm_config_loudness: 'podcast' };
    const refused = await run(['encode', 'talk.wav'], npm);
    expect(refused).toContain('npm took --loudness. Write `npx holdfast encode … --loudness`');
  },
);
