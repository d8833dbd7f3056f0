import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '@temporalio/client';
import { afterEach, expect, test, vi } from 'vitest';
import { describeEncode } from '../../../cli/run/encode-tasks.ts';
import { FolderWatch, type FolderWatchParts } from '../../../cli/watch/folder-watch.ts';
import { asAnotherUser } from '../../support/another-user.ts';
import { testFolder } from '../../support/folder.ts';

afterEach(() => vi.restoreAllMocks());

/** A watch whose files have all been encoded before, and the lines that it writes. */
function watchOf(folder: string, { overwrite, once, stop }: { overwrite: boolean; once: boolean; stop: AbortSignal }) {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const describe = vi.fn(async () => Promise.resolve({ status: { name: 'COMPLETED' }, startTime: new Date() }));
  const options = { format: ['mp3_64'], preset: [], trimSilence: false, out: 'out', overwrite };
  const watch = new FolderWatch({
    watched: { path: join(folder, 'in'), isRecursive: true },
    encode: describeEncode({ ...options, skipExisting: !overwrite }, { userFolder: folder, presetsFile: undefined }),
    client: { workflow: { getHandle: () => ({ describe }) } },
    stack: { facts: { mediaRoot: join(folder, 'media') } },
    settings: { isDumbTerminal: true },
    ...{ policy: {}, stop, settleMs: 20, once, json: true },
  } as unknown as FolderWatchParts);
  return { watch, describe, output: () => written.mock.calls.map(([text]) => String(text)).join('') };
}

test.each([true, false])(
  'a watch with --overwrite: %s refuses a second source of an output only if it would replace it',
  async (overwrite) => {
    const folder = testFolder();
    await mkdir(join(folder, 'in'));
    for (const name of ['talk.flac', 'talk.wav']) await writeFile(join(folder, 'in', name), 'sound');
    const { watch, output } = watchOf(folder, { overwrite, once: true, stop: new AbortController().signal });
    await watch.run();
    expect(watch.hasFailed).toBe(overwrite);
    const refused = /talk\.wav → mp3_64: failed.*talk\.flac and .*talk\.wav would both be written to .*talk\.mp3/;
    if (overwrite) expect(output()).toMatch(refused);
    else expect(output()).not.toMatch(/failed/);
  },
);

test('a source may replace the outputs of a source that is gone', async () => {
  const folder = testFolder();
  await mkdir(join(folder, 'in'));
  const stop = new AbortController();
  const { watch, describe } = watchOf(folder, { overwrite: true, once: false, stop: stop.signal });
  const watching = watch.run();
  await writeFile(join(folder, 'in/talk.flac'), 'sound');
  await expect.poll(() => describe.mock.calls.length).toBe(1);
  await rm(join(folder, 'in/talk.flac'));
  await writeFile(join(folder, 'in/talk.wav'), 'sound');
  await expect.poll(() => describe.mock.calls.length).toBe(2);
  stop.abort();
  await watching;
  expect(watch.hasFailed).toBe(false);
});

test('a source that was refused is encoded when the source that owns its output is gone', async () => {
  const folder = testFolder();
  await mkdir(join(folder, 'in'));
  const stop = new AbortController();
  const { watch, describe, output } = watchOf(folder, { overwrite: true, once: false, stop: stop.signal });
  const watching = watch.run();
  await writeFile(join(folder, 'in/talk.flac'), 'sound');
  await expect.poll(() => describe.mock.calls.length).toBe(1);
  await writeFile(join(folder, 'in/talk.wav'), 'sound');
  await expect.poll(output).toMatch(/talk\.wav would both be written/);
  expect(describe).toHaveBeenCalledTimes(1);
  await rename(join(folder, 'in/talk.flac'), join(folder, 'in/speech.flac'));
  await expect.poll(() => describe.mock.calls.length).toBe(3);
  stop.abort();
  await watching;
});

test('tries a file again after Temporal was away', async () => {
  const folder = testFolder();
  await mkdir(join(folder, 'in'));
  await writeFile(join(folder, 'in/talk.wav'), 'sound');
  const { watch, describe, output } = watchOf(folder, {
    overwrite: true,
    once: true,
    stop: new AbortController().signal,
  });
  const cause = Object.assign(new Error('No connection'), { code: 14, details: 'No connection', metadata: {} });
  describe.mockRejectedValueOnce(new ServiceError('Failed to describe workflow', { cause }));
  await watch.run();
  expect(describe).toHaveBeenCalledTimes(2);
  expect(watch.hasFailed).toBe(false);
  expect(output()).toContain('Temporal does not answer at the moment. Trying again …');
});

test('reports an unreadable subfolder once, and encodes the files beside it', async () => {
  const folder = testFolder();
  for (const name of ['lost+found', 'talks']) await mkdir(join(folder, 'in', name), { recursive: true });
  await writeFile(join(folder, 'in/talks/a.wav'), 'sound');
  const { watch, describe, output } = watchOf(folder, {
    overwrite: true,
    once: true,
    stop: new AbortController().signal,
  });
  await asAnotherUser(join(folder, 'in'), ['lost+found'], async () => await watch.run());
  expect(describe).toHaveBeenCalledTimes(1);
  expect(output().match(/lost\+found cannot be read: permission is denied\./g)).toHaveLength(1);
});
