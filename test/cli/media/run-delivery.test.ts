import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type DeliveryPlan, planKept, RunDelivery } from '../../../cli/media/run-delivery.ts';
import { TakenPlaces } from '../../../cli/media/taken-places.ts';
import { Staging } from '../../../client/staging.ts';
import { testFolder } from '../../support/folder.ts';

let folder: string;
let staging: Staging;
const at = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = testFolder();
  await mkdir(at('out'));
  staging = new Staging(at('media'), 'run');
  await staging.create();
});

function planTo(out: string, overwrite = false): DeliveryPlan {
  return { destination: { kind: 'folder', path: at(out) }, names: [], overwrite, inputs: [] };
}

/** Delivers as a command that continues after another one was killed. */
function resume(plan: DeliveryPlan): RunDelivery {
  return new RunDelivery(plan, staging, folder, true);
}

test('a resumed delivery replaces an older output of the same size with --overwrite, and refuses it otherwise', async () => {
  await writeFile(staging.outputPath('talk.mp3'), 'new');
  await writeFile(at('out/talk.mp3'), 'old');
  await expect(resume(planTo('out')).deliver('talk.mp3')).rejects.toThrow('talk.mp3 already exists');
  expect(await resume(planTo('out', true)).deliver('talk.mp3')).toBe('out/talk.mp3');
  expect(await readFile(at('out/talk.mp3'), 'utf8')).toBe('new');
});

test.each(['link', 'copy'])('a resumed delivery accepts a %s of the staged file as delivered', async (kind) => {
  await writeFile(staging.outputPath('talk.mp3'), 'new');
  if (kind === 'link') await link(staging.outputPath('talk.mp3'), at('out/talk.mp3'));
  else await writeFile(at('out/talk.mp3'), 'new');
  expect(await resume(planTo('out')).deliver('talk.mp3')).toBe('out/talk.mp3');
});

test('a resumed delivery goes on after a file that an earlier command has delivered', async () => {
  for (const name of ['a.txt', 'b.mp3']) await writeFile(staging.outputPath(name), name);
  await writeFile(at('out/b.mp3'), 'mine');
  const first = new RunDelivery(planTo('out'), staging, folder);
  expect(await first.deliver('a.txt')).toBe('out/a.txt');
  await expect(first.deliver('b.mp3')).rejects.toThrow('b.mp3 already exists');

  const elsewhere = resume(planTo('there'));
  expect(await elsewhere.stagedPath('a.txt')).toBeUndefined();
  expect(await elsewhere.deliver('a.txt')).toBe('a.txt (already delivered)');
  expect(await elsewhere.deliver('b.mp3')).toBe('there/b.mp3');
  expect(elsewhere.places).toEqual(['there/b.mp3']);
  expect(await resume(planTo('out', true)).deliver('a.txt')).toBe('out/a.txt');
});

test('the later of two commands that deliver one run finds its files delivered', async () => {
  await writeFile(staging.outputPath('a.mp3'), 'a');
  const later = resume(planTo('out'));
  expect(await resume(planTo('out')).deliver('a.mp3')).toBe('out/a.mp3');
  await staging.remove();
  expect(await later.deliver('a.mp3')).toBe('out/a.mp3');
});

test('a package is not split over the folders of two commands', async () => {
  const names = ['film/init.mp4', 'film/1.m4s'];
  await mkdir(staging.outputPath('film'));
  for (const name of names) await writeFile(staging.outputPath(name), name);
  await new RunDelivery(planTo('out'), staging, folder).deliver('film/init.mp4');

  const split = resume(planTo('there')).deliverFolder('film/', names);
  await expect(split).rejects.toThrow('1 of the 2 files of film/ were written to another folder before');
  expect(await resume(planTo('out')).deliverFolder('film/', names)).toBe('out/film');
  expect(await resume(planTo('there')).deliverFolder('film/', names)).toBe('film/ (already delivered)');
});

test('a resumed delivery takes only a file that was staged for one that an earlier command has delivered', async () => {
  await staging.keep('run-1', planTo('out'));
  await writeFile(staging.outputPath('a.txt'), 'a');
  // The container has written b.mp3 to another disk.
  for (const delivery of [new RunDelivery(planTo('out'), staging, folder), resume(planTo('out'))]) {
    expect(await delivery.deliver('a.txt')).toBe('out/a.txt');
    await expect(delivery.deliver('b.mp3')).rejects.toThrow('b.mp3 is missing in');
    await expect(async () => await delivery.stagedPath('b.mp3')).rejects.toThrow('b.mp3 is missing in');
  }
  expect((await staging.kept())?.delivery).toEqual(planTo('out'));
  // A later run of the same staging folder has delivered nothing yet.
  await staging.keep('run-2', planTo('out'));
  await expect(resume(planTo('out')).deliver('a.txt')).rejects.toThrow('a.txt is missing in');
});

/** Delivers a file of a run of its own, with --overwrite. */
async function deliverAlone(run: string, name: string, taken: TakenPlaces): Promise<string> {
  const own = new Staging(at('media'), run);
  await own.create();
  await writeFile(own.outputPath(name), run);
  return await new RunDelivery(planTo('out', true), own, folder, true, taken).deliver(name);
}

test('no run replaces what another run of the command has written, even with --overwrite', async () => {
  const taken = new TakenPlaces();
  expect(await deliverAlone('first', 'Talk.mp3', taken)).toBe('out/Talk.mp3');
  // On a disk without case, both names lead to one file.
  await link(at('out/Talk.mp3'), at('out/talk.mp3'));
  for (const name of ['Talk.mp3', 'talk.mp3']) {
    const replaced = deliverAlone(`other-${name}`, name, taken);
    await expect(replaced).rejects.toThrow('it would replace the output of another run');
    expect(await readFile(at(`out/${name}`), 'utf8')).toBe('first');
  }
});

test('a run replaces a link to what another run of the command has written', async () => {
  const taken = new TakenPlaces();
  await deliverAlone('first', 'a.mp3', taken);
  await symlink('a.mp3', at('out/b.mp3'));
  expect(await deliverAlone('second', 'b.mp3', taken)).toBe('out/b.mp3');
  expect(await Promise.all(['a', 'b'].map((name) => readFile(at(`out/${name}.mp3`), 'utf8')))).toEqual([
    'first',
    'second',
  ]);
});

test('no run replaces what another run of the command writes at the same time', async () => {
  const taken = new TakenPlaces();
  const runs = ['first', 'second'].map((run) => deliverAlone(run, 'talk.mp3', taken));
  const states = (await Promise.allSettled(runs)).map(({ status }) => status);
  expect(states.toSorted()).toEqual(['fulfilled', 'rejected']);
});

test.each([
  ['a folder', { kind: 'folder', path: '/out' }, undefined, '/out'],
  ['a folder', { kind: 'folder', path: '/out' }, '/there', '/there'],
  ['a folder', { kind: 'folder', path: '/out' }, 's3://bucket/x/', /to a folder.*Use --out FOLDER/],
  ['a store', { kind: 'store', prefix: 's3://bucket/x/' }, undefined, 's3://bucket/x/'],
  ['a store', { kind: 'store', prefix: 's3://bucket/x/' }, 's3://bucket/x', 's3://bucket/x/'],
  ['a store', { kind: 'store', prefix: 's3://bucket/x/' }, 's3://bucket/y/', /stores its files at s3:.*Omit --out/],
  ['a store', { kind: 'store', prefix: 's3://bucket/x/' }, '/there', /stores its files at s3:.*Omit --out/],
])('--wait of a run to %s %j accepts or refuses --out %s', (_, destination, out, expected) => {
  const kept = { ...planTo('out'), destination };
  const placed = () => {
    const planned = planKept(kept, { overwrite: false, ...(out !== undefined && { out }) }, { userFolder: folder });
    return planned.destination.kind === 'store' ? planned.destination.prefix : planned.destination.path;
  };
  if (typeof expected === 'string') expect(placed()).toBe(expected);
  else expect(placed).toThrow(expected);
});
