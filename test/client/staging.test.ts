import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import fs, { chmod, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { findKeptStaging, Staging, sweepStaging } from '../../client/staging.ts';
import { useFolder } from '../support/folder.ts';

const mediaRoot = useFolder();
async function createStaging(name: string): Promise<Staging> {
  const staging = new Staging(mediaRoot, name);
  await staging.create();
  return staging;
}

/** Simulates that the owning process was killed. */
async function orphan(staging: Staging, changes: object = {}): Promise<void> {
  const owners = readdirSync(staging.folder).filter((name) => name.startsWith('.owner'));
  // '.owner.1.json' sorts before '.owner.json', and names the later owner.
  const file = join(staging.folder, owners.sort()[0] ?? '');
  const { pid } = spawnSync('true');
  const owner = { ...(JSON.parse(await readFile(file, 'utf8')) as object), pid, ...changes };
  await writeFile(file, JSON.stringify(owner));
}

test('links a local source into the media root instead of copying it', async () => {
  const source = join(mediaRoot, 'talk.wav');
  await writeFile(source, 'sound');
  const staging = await createStaging('encode-talk-1');
  const url = await staging.addSource(source);
  expect(statSync(fileURLToPath(url)).ino).toBe(statSync(source).ino);
  await staging.remove();
  expect(await readFile(source, 'utf8')).toBe('sound');
});

test('stages the file that a symbolic link leads to', async () => {
  await writeFile(join(mediaRoot, 'linked.wav'), 'sound');
  await symlink('linked.wav', join(mediaRoot, 'link.wav'));
  const staging = await createStaging('encode-link-1');
  const url = await staging.addSource(join(mediaRoot, 'link.wav'));
  expect(lstatSync(fileURLToPath(url)).ino).toBe(statSync(join(mediaRoot, 'linked.wav')).ino);
  await staging.remove();
});

test('stores further files next to the source under their own names', async () => {
  const cover = join(mediaRoot, 'art.png');
  await writeFile(cover, 'picture');
  const staging = await createStaging('encode-talk-3');
  await staging.addFile(cover, 'cover.png');
  expect(await readFile(fileURLToPath(staging.fileUrl('cover.png')), 'utf8')).toBe('picture');
  await staging.remove();
});

test.runIf(existsSync('/dev/shm'))('copies a source from another disk', async () => {
  const source = join('/dev/shm', `holdfast-staging-${process.pid}.wav`);
  await writeFile(source, 'sound');
  try {
    const staging = await createStaging('encode-talk-2');
    expect(await readFile(fileURLToPath(await staging.addSource(source)), 'utf8')).toBe('sound');
    await staging.remove();
  } finally {
    await rm(source);
  }
});

test('a sweep removes only folders of dead processes, and those of detached runs after a week', async () => {
  const [alive, dead, kept, old] = await Promise.all(['alive', 'dead', 'kept', 'old'].map(createStaging));
  const foreign = join(mediaRoot, 'somebody-elses');
  const halfRemoved = join(mediaRoot, '.removed-half');
  await Promise.all([foreign, halfRemoved].map((folder) => mkdir(folder)));
  await utimes(foreign, 0, 0);
  if (!alive || !dead || !kept || !old) throw new Error('unreachable');
  await kept.keep('run-1', { names: ['talk.mp3'] });
  await old.keep('run-2', {});
  await orphan(dead);
  await orphan(kept);
  await orphan(old, { at: new Date(Date.now() - 8 * 24 * 3_600_000).toISOString() });

  await sweepStaging(mediaRoot, expect.unreachable);
  const folders = [alive.folder, dead.folder, kept.folder, old.folder, foreign, halfRemoved];
  expect(folders.map((folder) => existsSync(folder))).toEqual([true, false, true, false, true, false]);
});

/** A process that does this with each word of its standard input, prints the outcome, and goes on. */
function rival(act: string): ChildProcess {
  const module = new URL('../../client/staging.ts', import.meta.url).href;
  const code = `const { Staging, sweepStaging } = await import('${module}'); console.log('ready');
    const mediaRoot = ${JSON.stringify(mediaRoot)};
    process.stdin.on('data', async (word) => console.log(await ${act}.catch(String)));`;
  return spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function nextLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('there is no output');
  const [data] = await once(stdout, 'data');
  return String(data).trim();
}

/** Starts four rivals, and ends them afterwards. `outcomesOf` sends all of them a word at once. */
async function withRivals(
  act: string,
  body: (outcomesOf: (word: string) => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const rivals = Array.from({ length: 4 }, () => rival(act));
  try {
    await Promise.all(rivals.map(nextLine));
    await body(async (word) => {
      const outcomes = rivals.map(nextLine);
      for (const { stdin } of rivals) stdin?.write(word);
      return await Promise.all(outcomes);
    });
  } finally {
    await Promise.all(rivals.map((child) => (child.kill(), once(child, 'exit'))));
  }
}

test('exactly one of several processes takes over the folder of a dead process', async () => {
  await withRivals('new Staging(mediaRoot, String(word)).takeOver()', async (outcomesOf) => {
    for (let round = 1; round <= 100; round += 1) {
      const staging = await createStaging(`watch-rivals-${round}`);
      await orphan(staging);
      expect((await outcomesOf(`watch-rivals-${round}`)).sort(), `round ${round}`).toEqual([
        'false',
        'false',
        'false',
        'true',
      ]);
      expect(await staging.takeOver()).toBe(false);
      expect(await staging.createOrTakeOver()).toBe(false);
      await staging.remove();
    }
  });
});

test('several processes may sweep the same folders at a time', async () => {
  await withRivals("sweepStaging(mediaRoot, console.log).then(() => 'swept')", async (outcomesOf) => {
    for (let round = 1; round <= 50; round += 1) {
      const staging = await createStaging(`encode-swept-${round}`);
      await orphan(staging);
      expect(await outcomesOf('go'), `round ${round}`).toEqual(['swept', 'swept', 'swept', 'swept']);
      expect(readdirSync(mediaRoot).filter((name) => /swept|removed/.test(name))).toEqual([]);
    }
  });
});

test('a sweep reports a folder that it may not delete, and sweeps the others', async () => {
  const [foreign, own] = await Promise.all(['another-users', 'swept-own'].map(createStaging));
  if (!foreign || !own) throw new Error('unreachable');
  await Promise.all([foreign, own].map((staging) => orphan(staging)));
  await chmod(mediaRoot, 0o777);
  await chmod(own.folder, 0o777);
  await chmod(foreign.folder, 0o555);
  // Root may delete everything.
  const child = rival(
    "(process.getuid() === 0 && process.setuid(65534), sweepStaging(mediaRoot, console.log).then(() => 'done'))",
  );
  await nextLine(child);
  child.stdin?.write('go');
  let output = '';
  for await (const part of child.stdout ?? []) {
    output += String(part);
    if (output.endsWith('done\n')) break;
  }
  const reason = 'is left from a process that has ended, and belongs to another user. Delete it yourself.';
  expect(output).toBe(`${foreign.folder} ${reason}\ndone\n`);
  expect(existsSync(own.folder)).toBe(false);
  child.kill();
  await once(child, 'exit');
  await chmod(foreign.folder, 0o755);
});

/** Lets each write of a file fail until the returned function is called. */
function failWrites(code: string): () => void {
  const write = vi.spyOn(fs, 'writeFile').mockRejectedValue(Object.assign(new Error(`${code}: a reason`), { code }));
  syncBuiltinESMExports();
  return () => {
    write.mockRestore();
    syncBuiltinESMExports();
  };
}

test.each([
  ['ENOSPC', false],
  ['EDQUOT', false],
  ['EIO', true],
])('a sweep on a disk that answers writes with %s removes what nobody resumes, and ends', async (code, isLeft) => {
  const [dead, old] = await Promise.all(['dead', 'old'].map((name) => createStaging(`${code}-${name}`)));
  if (!dead || !old) throw new Error('unreachable');
  await old.keep('run-1', {});
  await orphan(dead);
  await orphan(old, { at: new Date(0).toISOString() });
  const warnings: string[] = [];
  const endFailure = failWrites(code);
  await sweepStaging(mediaRoot, (sentence) => warnings.push(sentence)).finally(endFailure);
  const warningOf = ({ folder }: Staging) =>
    `${folder} is left from a process that has ended, and cannot be deleted: ${code}: a reason.`;
  expect(warnings.toSorted()).toEqual((isLeft ? [dead, old] : [old]).map(warningOf));
  expect([dead, old].map(({ folder }) => existsSync(folder))).toEqual([isLeft, true]);
  await sweepStaging(mediaRoot, expect.unreachable);
});

test('a folder that cannot be marked as kept on a full disk survives its process and later sweeps', async () => {
  const staging = await createStaging('encode-full-1');
  const endFailure = failWrites('ENOSPC');
  await expect(staging.keep('run-1', {}).finally(endFailure)).rejects.toThrow('ENOSPC');
  // A sweep ignores a folder without an owner file.
  expect(readdirSync(staging.folder).filter((name) => !name.startsWith('.delivery'))).toEqual(['out']);
  await staging.remove();
});

test('a folder that is taken over keeps its files until it is re-created', async () => {
  const staging = await createStaging('watch-talk-1');
  await staging.keep('run-1', { names: ['talk.mp3'] });
  await writeFile(staging.outputPath('talk.mp3'), 'sound');
  await orphan(staging);
  expect(await staging.takeOver()).toBe(true);
  expect(await staging.kept()).toEqual({ runId: 'run-1', delivery: { names: ['talk.mp3'] } });
  expect(readdirSync(staging.folder).sort()).toEqual(['.delivery.json', '.owner.1.json', '.owner.json', 'out']);
  expect(await readFile(staging.outputPath('talk.mp3'), 'utf8')).toBe('sound');
  expect(await staging.createOrTakeOver()).toBe(true);
  expect(readdirSync(staging.outputFolder)).toEqual([]);
  await staging.remove();
  expect(await staging.takeOver()).toBe(false);
});

test('a folder that is re-created gets other files without a change of the files it linked before', async () => {
  const covers = ['a', 'b'].map((name) => join(mediaRoot, `${name}.jpg`));
  for (const cover of covers) await writeFile(cover, cover);
  const staging = await createStaging('watch-talk-3');
  for (const cover of covers) {
    await orphan(staging);
    expect(await staging.createOrTakeOver()).toBe(true);
    await staging.addFile(cover, 'cover.jpg');
    expect(await readFile(fileURLToPath(staging.fileUrl('cover.jpg')), 'utf8')).toBe(cover);
  }
  for (const cover of covers) expect(await readFile(cover, 'utf8')).toBe(cover);
  await expect(staging.addFile(covers[0] ?? '', 'cover.jpg')).rejects.toThrow('EEXIST');
  await staging.remove();
});

test('a process that had its id before the machine was restarted is dead', async () => {
  const staging = await createStaging('watch-talk-2');
  await orphan(staging, { pid: process.ppid });
  expect(await staging.takeOver()).toBe(false);
  await orphan(staging, { pid: process.ppid, at: '2001-01-01T00:00:00Z' });
  expect(await staging.takeOver()).toBe(true);
  await staging.remove();
});

test('an owner on another host that shares the media root counts as alive for a week', async () => {
  const staging = await createStaging('watch-talk-4');
  await orphan(staging, { host: 'other' });
  await sweepStaging(mediaRoot, expect.unreachable);
  expect(existsSync(staging.folder)).toBe(true);
  expect(await staging.takeOver()).toBe(false);
  // A process of the other host may have the same id.
  await orphan(staging, { host: 'other', pid: process.pid });
  expect(await staging.takeOver()).toBe(false);
  await orphan(staging, { host: 'other', at: new Date(Date.now() - 8 * 24 * 3_600_000).toISOString() });
  await sweepStaging(mediaRoot, expect.unreachable);
  expect(existsSync(staging.folder)).toBe(false);
});

test('an owner file without a host names a process of this host', async () => {
  const staging = await createStaging('watch-talk-5');
  await orphan(staging, { host: undefined });
  expect(await staging.takeOver()).toBe(true);
  await staging.remove();
});

test('finds the kept folder of a run with the destinations of its files', async () => {
  const staging = await createStaging('encode-talk-3');
  await staging.keep('run-3', { names: ['talk.mp3'] });
  const found = await findKeptStaging(mediaRoot, 'run-3');
  expect(found?.staging.folder).toBe(staging.folder);
  expect(found?.delivery).toEqual({ names: ['talk.mp3'] });
  expect(await findKeptStaging(mediaRoot, 'run-4')).toBeUndefined();
});

test('a staged source keeps its name, whatever other files of the run are called', async () => {
  for (const name of ['A talk – ü #1 100%.wav', 'out', 'cover.jpg']) {
    const source = join(mediaRoot, `own-${name}`, name);
    await mkdir(join(mediaRoot, `own-${name}`));
    await writeFile(source, 'sound');
    const staging = await createStaging(`encode-name-${name}`);
    await staging.addFile(source, 'cover.jpg');
    const url = await staging.addSource(source);
    expect(fileURLToPath(url)).toBe(join(staging.folder, 'in', name));
    expect(await readFile(fileURLToPath(url), 'utf8')).toBe('sound');
  }
});
