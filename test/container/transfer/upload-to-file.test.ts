import { randomUUID } from 'node:crypto';
import fs, {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Agent } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../../process/log.ts';
import { openScratch } from '../../../container/jobs/scratch.ts';
import { removeNotedPartials } from '../../../container/transfer/partial-copy.ts';
import { createTransferCounters } from '../../../container/transfer/counters.ts';
import { uploadFile } from '../../../container/transfer/upload.ts';
import { testFolder } from '../../support/folder.ts';

const others = {
  ...{ jobId: 'a-job', dispatcher: new Agent(), log: createLog('test', 'silent') },
  limits: { stallTimeoutMs: 1000, answerTimeoutMs: 1000 },
  counters: createTransferCounters(),
};

/** `/dev/shm` is another file system than the temp folder, so that hard links to it fail. */
test.each([tmpdir(), '/dev/shm'])('stores files under %s with one mode, whatever their source has', async (root) => {
  const [scratch, media] = await Promise.all([mkdtemp(join(tmpdir(), 'scratch-')), mkdtemp(join(root, 'media-'))]);
  try {
    const modes: number[] = [];
    for (const mode of [0o600, 0o640, 0o644, 0o755]) {
      const path = join(scratch, `made-${mode}`);
      await writeFile(path, 'x');
      await chmod(path, mode);
      const target = join(media, `stored-${mode}`);
      await uploadFile(
        {
          ...{ path, uploadUrl: pathToFileURL(target).href, contentType: 'audio/wav' },
          digest: { size: 1, md5Base64: '' },
        },
        {
          ...others,
          mediaRoot: media,
          signal: new AbortController().signal,
          onProgress: () => {},
        },
      );
      modes.push((await stat(target)).mode & 0o777);
    }
    expect(new Set(modes)).toEqual(new Set([0o666 & ~process.umask()]));
  } finally {
    await Promise.all([rm(scratch, { recursive: true }), rm(media, { recursive: true })]);
  }
});

/** Makes an operation of the file system fail during a test. */
function failing(operation: 'chown' | 'link', code: string): void {
  const spy = vi.spyOn(fs, operation).mockRejectedValue(Object.assign(new Error(code), { code, syscall: operation }));
  // The named exports of the module follow.
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

async function store(path: string, target: string): Promise<void> {
  await uploadFile(
    { path, uploadUrl: pathToFileURL(target).href, contentType: 'audio/wav', digest: { size: 1, md5Base64: '' } },
    { ...others, mediaRoot: dirname(target), signal: new AbortController().signal, onProgress: () => {} },
  );
}

test.each(['ENOSYS', 'EIO'])('stores a file on a disk that answers hard links with %s', async (code) => {
  const [path, target] = [join(testFolder(), 'made'), join(testFolder(), 'stored')];
  await writeFile(path, 'x');
  failing('link', code);
  await store(path, target);
  expect(await readFile(target, 'utf8')).toBe('x');
});

// Only root may give a folder any group.
test.runIf(process.getuid?.() === 0).each(['may', 'may not'])(
  'gives a file the group of a folder with setgid if the container %s change groups',
  async (may) => {
    const [path, folder] = [join(testFolder(), 'made'), testFolder()];
    await writeFile(path, 'x');
    const group = (await stat(folder)).gid + 1000;
    await chown(folder, -1, group);
    await chmod(folder, 0o2775);
    if (may === 'may not') failing('chown', 'EPERM');
    await store(path, join(folder, 'stored'));
    expect((await stat(join(folder, 'stored'))).gid).toBe(group);
    expect(await readdir(folder)).toEqual(['stored']);
  },
);

test('removes the unfinished copy of a killed container at its next start', async () => {
  const shared = testFolder();
  const left = join(
    shared,
    `holdfast-${hostname().replaceAll(/[^A-Za-z0-9]/g, '')}-${process.pid}-abc`,
    'a-job',
    'made',
  );
  const media = await mkdtemp(join('/dev/shm', 'media-'));
  onTestFinished(() => rm(media, { recursive: true }));
  const path = join(left, 'made.wav');
  await mkdir(left, { recursive: true });
  await writeFile(path, 'x');
  await uploadFile(
    {
      ...{ path, uploadUrl: pathToFileURL(join(media, 'stored')).href, contentType: 'audio/wav' },
      digest: { size: 1, md5Base64: '' },
    },
    { ...others, mediaRoot: media, signal: new AbortController().signal, onProgress: () => {} },
  );
  const note = (await readdir(left)).find((name) => name.endsWith('.part')) ?? 'none';
  // As the file was before its copy had ended.
  await rename(join(media, 'stored'), await readlink(join(left, note)));
  await writeFile(join(media, 'kept'), 'x');
  await symlink(join(media, 'kept'), join(left, `.${randomUUID()}.part`));
  await openScratch(shared, others.log, removeNotedPartials);
  expect(await readdir(media)).toEqual(['kept']);
});

test('reports the progress of a copy to another disk, and a cancelled copy ends at once', async () => {
  const bytes = 4_000_000;
  const [scratch, media] = await Promise.all([
    mkdtemp(join(tmpdir(), 'scratch-')),
    mkdtemp(join('/dev/shm', 'media-')),
  ]);
  onTestFinished(async () => {
    await Promise.all([rm(scratch, { recursive: true }), rm(media, { recursive: true })]);
  });
  const path = join(scratch, 'made');
  await writeFile(path, Buffer.alloc(bytes, 'x'));
  const digest = { size: bytes, md5Base64: '' };
  const file = { path, uploadUrl: pathToFileURL(join(media, 'stored')).href, contentType: 'audio/wav', digest };

  const abort = new AbortController();
  const { signal } = abort;
  const cancelled: number[] = [];
  const onProgress = (done: number): void => {
    cancelled.push(done);
    abort.abort();
  };
  await expect(uploadFile(file, { ...others, mediaRoot: media, signal, onProgress })).rejects.toThrow('aborted');
  expect(cancelled[0]).toBeLessThan(bytes / 2);
  expect(await readdir(media)).toEqual([]);

  const whole: number[] = [];
  await uploadFile(file, {
    ...{ ...others, mediaRoot: media, signal: new AbortController().signal },
    onProgress: (done) => whole.push(done),
  });
  expect(whole.length).toBeGreaterThan(10);
  expect(whole.at(-1)).toBe(bytes);
  expect((await stat(join(media, 'stored'))).size).toBe(bytes);
});

test.each([
  ['before the file gets its name', tmpdir(), async () => {}, false],
  ['after the file got its name', tmpdir(), rename, false],
  ['after a copy got its name', '/dev/shm', rename, false],
  ['after the file replaced another', tmpdir(), rename, true],
])('repeats an upload to a disk that fails %s', async (_when, root, beforeFault, isReplacing) => {
  const folder = await mkdtemp(join(root, 'media-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const [path, target] = [join(testFolder(), 'made'), join(folder, 'talks', 'stored')];
  await writeFile(path, 'x');
  if (isReplacing) {
    await mkdir(dirname(target));
    await writeFile(target, 'of another job');
  }
  const renameFile = vi.spyOn(fs, 'rename').mockImplementationOnce(async (from, to) => {
    await beforeFault(from, to);
    throw Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE', syscall: 'rename' });
  });
  // The named exports of the module follow.
  syncBuiltinESMExports();
  onTestFinished(() => {
    renameFile.mockRestore();
    syncBuiltinESMExports();
  });
  const uploadUrl = pathToFileURL(target).href;
  const digest = { size: 1, md5Base64: '' };
  const counters = createTransferCounters();
  const stored = await uploadFile(
    { path, uploadUrl, contentType: 'audio/wav', digest },
    { ...others, counters, mediaRoot: folder, signal: new AbortController().signal, onProgress: () => {} },
  );
  expect(renameFile).toHaveBeenCalledTimes(2);
  expect(counters.uploadRetries).toBe(1);
  expect(stored?.hasReplaced).toBe(isReplacing);
  expect(await readdir(dirname(target))).toEqual(['stored']);
  expect(await readFile(target, 'utf8')).toBe('x');
});
