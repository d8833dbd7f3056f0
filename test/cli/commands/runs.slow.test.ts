import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { UsageView } from '../../../contract/server/usage.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { longWav, speechWav } from '../../support/media.ts';
import type { TestProcess } from '../../support/process.ts';
import { CommandSandbox, matrixTestInSandbox, testInSandbox } from '../command-sandbox.ts';
import { stopAfterAll, stopAfterTest } from '../../support/stop-after-all.ts';

interface Listed {
  workflowId: string;
  state: string;
  startedAt: string;
  endedAt: string;
}

async function succeed(command: TestProcess): Promise<string> {
  expect(await command.exited, command.output).toEqual({ code: 0, signal: null });
  return command.output;
}

async function listRuns(sandbox: CommandSandbox): Promise<Listed[]> {
  const output = await succeed(sandbox.npm('runs', '--', '--json'));
  return (JSON.parse(output) as { runs: Listed[] }).runs;
}

/** One stack for the tests of runs in general. */
const sandbox = await stopAfterAll(CommandSandbox.create());
await sandbox.start();

test('runs lists a detached run, and --wait writes its files', async () => {
  const detached = await succeed(
    sandbox.npm('encode', '--', 'talk.wav', '-f', 'mp3_64', '--out', 'there', '--workflow-id', 'talk-1', '--detach'),
  );
  expect(detached).toMatch(/npx holdfast encode --wait talk-1/);
  expect(existsSync(join(sandbox.folder, 'there'))).toBe(false);

  const waited = sandbox.npm('encode', '--', '--wait', 'talk-1', '--out', '.');
  await succeed(waited);
  expect(waited.output).toMatch(/Encoded to mp3_64/);
  expect((await readdir(sandbox.folder)).sort()).toEqual(['talk.mp3', 'talk.wav']);
  // The server keeps empty folders of its own in the same place.
  const left = await readdir(join(sandbox.home, 'media'), { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([]);
  expect(await listRuns(sandbox)).toMatchObject([{ workflowId: 'talk-1', state: 'succeeded' }]);

  // The copy of its source was deleted with the result.
  const again = sandbox.npm('runs', '--', 'rerun', 'talk-1');
  expect(await again.exited).toEqual({ code: 1, signal: null });
  expect(again.output).toMatch(/The run cannot be repeated, because "talk.wav" is no longer in the media folder\./);
});

test('--wait replaces no file unasked, keeps what it cannot write, and writes the rest later', async () => {
  for (const [id, ...formats] of [
    ['talk-2', '-f', 'flac', '-f', 'mp3_64'],
    ['talk-3', '-f', 'mp3_64'],
  ] as const) {
    const options = ['--overwrite', '--workflow-id', id, '--detach'];
    await succeed(sandbox.npm('encode', '--', 'talk.wav', ...formats, ...options));
  }
  await mkdir(join(sandbox.folder, 'kept'));
  await writeFile(join(sandbox.folder, 'kept', 'talk.mp3'), 'mine');
  const refused = sandbox.npm('encode', '--', '--wait', 'talk-2', '--out', 'kept');
  expect(await refused.exited, refused.output).toEqual({ code: 1, signal: null });
  expect((await readdir(join(sandbox.folder, 'kept'))).sort()).toEqual(['talk.flac', 'talk.mp3']);
  expect(await readFile(join(sandbox.folder, 'kept', 'talk.mp3'), 'utf8')).toBe('mine');
  const [, folder = ''] = /The result of talk-2 is kept in (\S+) for a week/.exec(refused.output) ?? [];
  expect(await readdir(folder)).toEqual(['talk.mp3']);
  const options = '--overwrite --out other --json 2> /dev/null';
  const written = sandbox.shell(`holdfast encode -- --wait talk-2 --wait talk-3 ${options}`);
  expect(await written.exited, written.output).toEqual({ code: 1, signal: null });
  const { runs } = JSON.parse(written.output) as { runs: { tookSeconds: number }[] };
  expect(runs).toMatchObject([
    { state: 'succeeded', files: ['other/talk.mp3'] },
    { state: 'undelivered', error: expect.stringContaining('it would replace the output of another run') },
  ]);
  // The reported time is the duration of the run, not its age.
  const run = (await listRuns(sandbox)).find(({ workflowId }) => workflowId === 'talk-2');
  const tookSeconds = (Date.parse(run?.endedAt ?? '') - Date.parse(run?.startedAt ?? '')) / 1000;
  expect(runs[0]?.tookSeconds).toBeCloseTo(tookSeconds, 0);
  expect(existsSync(folder)).toBe(false);
  const both = sandbox.shell('holdfast encode -- --wait unknown --wait talk-2 --json 2> /dev/null');
  expect(await both.exited).toEqual({ code: 1, signal: null });
  expect((JSON.parse(both.output) as { runs: Listed[] }).runs).toMatchObject([
    { workflowId: 'unknown', state: 'failed', error: expect.stringContaining('There is no run unknown') },
    { workflowId: 'talk-2' },
  ]);
});

test('runs cancel ends a run, and a new run cannot use the id of a running one', async () => {
  // The source is long enough to act on the running job.
  await copyFile(await longWav({ seconds: 3600 }), join(sandbox.folder, 'long.wav'));
  await succeed(sandbox.npm('encode', '--', 'long.wav', '--workflow-id', 'long-1', '--detach'));
  const again = sandbox.npm('encode', '--', 'talk.wav', '--workflow-id', 'long-1', '--out', 'again');
  expect(await again.exited).toEqual({ code: 1, signal: null });
  expect(again.output).toMatch(/The run long-1 is already active.*--wait long-1/);
  await succeed(sandbox.npm('runs', '--', 'cancel', 'long-1'));
  const waited = sandbox.npm('encode', '--', '--wait', 'long-1');
  expect(await waited.exited).toEqual({ code: 1, signal: null });
  expect(waited.output).toMatch(/The run was cancelled/);
  expect(await listRuns(sandbox)).toContainEqual(expect.objectContaining({ workflowId: 'long-1', state: 'cancelled' }));
  const late = sandbox.npm('runs', '--', 'cancel', 'long-1', 'unknown');
  expect(await late.exited).toEqual({ code: 1, signal: null });
  expect(late.output).toMatch(/long-1 cannot be cancelled: it has already ended \(cancelled\)/);
  expect(late.output).toMatch(/unknown cannot be cancelled: workflow not found/);
});

testInSandbox(
  'runs rerun repeats a run of a command with changes, and --wait writes its files',
  async ({ sandbox }) => {
    let isBroken = true;
    const talk = await readFile(speechWav);
    const origin = await stopAfterTest(
      LoopbackServer.start((_, response) => {
        response.writeHead(isBroken ? 404 : 200).end(isBroken ? '' : talk);
      }),
    );
    sandbox.setVariables({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.1' });
    await sandbox.start();
    const failed = sandbox.npm('encode', '--', `${origin.url}/A%20talk.wav`, '-f', 'mp3_64', '--workflow-id', 'talk-1');
    expect(await failed.exited).toEqual({ code: 1, signal: null });
    isBroken = false;
    const unread = sandbox.npm('runs', '--', 'rerun', 'talk-1', '--changes', '[]');
    expect(await unread.exited).toEqual({ code: 1, signal: null });
    expect(unread.output).toContain('--changes is not a JSON object.');
    const again = await succeed(sandbox.npm('runs', '--', 'rerun', 'talk-1', '--changes', '{"owner": "anna"}'));
    expect(again).toContain('has been started with the input of talk-1, changed.');
    const [, id = ''] = /Fetch its files: npx holdfast encode --wait (\S+)/.exec(again) ?? [];
    await succeed(sandbox.npm('encode', '--', '--wait', id, '--out', 'there'));
    expect(await readdir(join(sandbox.folder, 'there'))).toEqual(['A talk.mp3']);
    const day = ['--from', 'yesterday', '--to', 'today'];
    const listed = await succeed(sandbox.npm('runs', '--', '--owner', 'anna', '--json', ...day));
    expect((JSON.parse(listed) as { runs: Listed[] }).runs).toMatchObject([{ workflowId: id, state: 'succeeded' }]);
    const csv = await succeed(sandbox.npm('runs', '--', '--csv', '--owner', 'anna', ...day));
    expect(csv).toMatch(/^day,owner,runs,[^]*,anna,1,/);
  },
);

matrixTestInSandbox('encode reports a run that no worker can decrypt', async ({ sandbox }) => {
  await sandbox.start();
  sandbox.setVariables({ PAYLOAD_KEY: randomBytes(32).toString('base64') });
  const unread = sandbox.npm('encode', '--', 'talk.wav');
  await unread.until('a sentence', () => /No worker has reported.*PAYLOAD_KEY/.test(unread.output));
  expect(await unread.stop('SIGINT')).toEqual({ code: 130, signal: null });
});

matrixTestInSandbox(
  'runs --cost sums usage and cost by day and owner, and runs show has those of one run',
  async ({ sandbox }) => {
    sandbox.setVariables({ PRICE_PER_CPU_HOUR: '3600', PRICE_CURRENCY: 'EUR' });
    await sandbox.start();
    // The runs may end on the next day.
    const from = new Date().toISOString().slice(0, 10);
    const id = ['--workflow-id', 'talk-1'];
    await succeed(sandbox.npm('encode', '--', 'talk.wav', '-f', 'mp3_64', '--owner', 'anna', ...id));
    await succeed(sandbox.npm('encode', '--', 'talk.wav', '-f', 'opus_24'));
    const shown = await succeed(sandbox.npm('runs', '--', 'show', 'talk-1'));
    expect(shown).toMatch(/usage +\d+\.\d s of processor time, \d+\.\d s in containers, [\d.]+ KiB in, [\d.]+ KiB out/);
    // A second costs 1 EUR.
    const [, cost = ''] = /cost +([\d.]+) EUR/.exec(shown) ?? [];
    expect(Number(cost)).toBeGreaterThan(0);

    const usage = JSON.parse(await succeed(sandbox.npm('runs', '--', '--cost', '--json', '--from', from))) as UsageView;
    expect(usage).toMatchObject({ from, complete: true, currency: 'EUR', total: { runs: 2, unmeasured: 0 } });
    expect(usage.rows.map(({ owner }) => owner)).toEqual([undefined, 'anna']);
    // The sums are not rounded to cents.
    const rounded = expect.closeTo(Number(cost), 1);
    expect(usage.rows[1]).toMatchObject({ runs: 1, cost: rounded, cpuSeconds: rounded });
    const table = await succeed(sandbox.npm('runs', '--', '--cost', '--owner', 'anna'));
    expect(table).toContain('DAY         OWNER  RUNS  CPU s  JOB s');
    expect(table).toMatch(new RegExp(`${usage.rows[1]?.day}  anna  +1 `));

    const refused = sandbox.npm('runs', '--', '--cost', '--from', '2026-02-01', '--to', '2026-01-01');
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    expect(refused.output).toContain('The first day, 2026-02-01, is after the last day, 2026-01-01.');
  },
);
