import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { chunk } from '../../../cli/commands/chunk.ts';
import { encode, type EncodeOptions } from '../../../cli/commands/encode.ts';
import { process } from '../../../cli/commands/process.ts';
import { RunDelivery } from '../../../cli/media/run-delivery.ts';
import { isSameFile } from '../../../cli/media/same-file.ts';
import type { Settings } from '../../../cli/settings.ts';
import { Staging } from '../../../client/staging.ts';
import { testFolder } from '../../support/folder.ts';

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = testFolder();
  await mkdir(at('out'));
  await writeFile(at('talk.wav'), 'source');
});

/** The commands refuse these arguments before they use any further setting. */
const settings = () => ({ userFolder: folder, mediaRoot: at('media') }) as Settings;
const options = { overwrite: true, skipExisting: false, recursive: false, detach: false, json: false };
const encodeOptions = { ...options, format: ['mp3_64'], preset: [], trimSilence: false } as unknown as EncodeOptions;

test('encode --overwrite refuses an output that would replace a file that its run reads', async () => {
  await writeFile(at('talk.mp3'), 'cover');
  const withCover = { ...encodeOptions, cover: 'talk.mp3' } as EncodeOptions;
  await expect(encode(['talk.wav'], withCover, settings())).rejects.toThrow(/talk\.mp3 is a source .*talk\.wav/);
  await symlink('../talk.mp3', at('out/talk.mp3'));
  await expect(encode(['talk.wav'], { ...withCover, out: 'out' }, settings())).rejects.toThrow('would be replaced');
});

test.each([
  ['chunk', 'chunk-00000.wav', async () => await chunk(['talk.wav'], { ...options, out: 'out' }, settings())],
  ['process', 'transcript.json', async () => await process(['talk.wav'], { ...options, out: 'out' }, settings())],
])('%s --overwrite refuses a folder in which %s leads to the source', async (_name, file, run) => {
  await symlink('../talk.wav', at(`out/${file}`));
  await expect(run()).rejects.toThrow(`would be replaced by ${file}`);
});

test('delivers no file to a place that leads to a source, and keeps the staged file', async () => {
  const staging = new Staging(at('media'), 'run');
  await staging.create();
  await writeFile(staging.outputPath('a.mp3'), 'made');
  await symlink('../talk.wav', at('out/a.mp3'));
  const destination = { kind: 'folder' as const, path: at('out') };
  const plan = { destination, names: ['a.mp3'], overwrite: true, inputs: [at('talk.wav')] };
  await expect(new RunDelivery(plan, staging, folder).deliver('a.mp3')).rejects.toThrow('it would replace');
  expect(await readFile(at('talk.wav'), 'utf8')).toBe('source');
  expect(await readFile(staging.outputPath('a.mp3'), 'utf8')).toBe('made');
});

test('takes a loop of links for no source', async () => {
  await symlink('loop', at('loop'));
  expect(isSameFile(at('loop'), at('talk.wav'))).toBe(false);
  expect(isSameFile(at('loop'), at('loop'))).toBe(true);
});
