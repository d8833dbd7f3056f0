import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { keepRerun } from '../../../cli/media/kept-rerun.ts';
import { waitingCommand } from '../../../cli/run/workflow-command.ts';
import { findKeptStaging } from '../../../client/staging.ts';
import { useFolder } from '../../support/folder.ts';

const mediaRoot = useFolder();
const inputFor = (...names: string[]) => ({
  outputs: names.map((name) => ({ uploadUrl: pathToFileURL(join(mediaRoot, name)).href })),
});
const keep = async (input: object, runId = 'run-1'): Promise<boolean> =>
  await keepRerun(input, runId, { mediaRoot, folder: '/there' });

test('keeps the files of a repeated run of a command, whose folder was removed', async () => {
  expect(await keep(inputFor('encode-talk-1/out/A talk.mp3'))).toBe(true);
  const kept = await findKeptStaging(mediaRoot, 'run-1');
  expect(kept?.delivery).toMatchObject({ names: ['A talk.mp3'], destination: { kind: 'folder', path: '/there' } });
});

test('keeps the files of a repeated run that names its files, for a folder of their own', async () => {
  const prefix = pathToFileURL(join(mediaRoot, 'processing-talk-1', 'out/')).href;
  expect(await keep({ uploadUrlPrefix: `${prefix}parts/` })).toBe(false);
  expect(await keep({ uploadUrlPrefix: prefix }, 'run-2')).toBe(true);
  const kept = await findKeptStaging(mediaRoot, 'run-2');
  expect(kept?.staging.folder).toBe(join(mediaRoot, 'processing-talk-1'));
  const path = '/there/processing-talk-1';
  expect(kept?.delivery).toMatchObject({ names: [], destination: { kind: 'folder', path } });
});

test.each([
  ['encode', 'encode'],
  ['chunking', 'chunk'],
  ['processing', 'process'],
] as const)('a run of the workflow %s is awaited by the command %s', (workflowType, command) => {
  expect(waitingCommand({ workflowType })).toBe(command);
});

test('takes no folder that belongs to another program, because --wait would remove it', async () => {
  await mkdir(join(mediaRoot, 'project', 'out'), { recursive: true });
  await writeFile(join(mediaRoot, 'project', 'take-1.wav'), 'sound');
  expect(await keep(inputFor('project/out/talk.mp3'))).toBe(false);
  expect((await readdir(join(mediaRoot, 'project'))).toSorted()).toEqual(['out', 'take-1.wav']);
});

test('leaves outputs alone whose URL has a literal percent sign', async () => {
  const root = pathToFileURL(mediaRoot).href;
  expect(await keep({ outputs: [{ uploadUrl: `${root}/100%/talk.mp3` }] })).toBe(false);
});
