import { createReadStream } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../../../cli/settings.ts';
import { findConflicts } from '../../../cli/stack/open-stack.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { longWav, musicOgg, probeAudio, speechWav } from '../../support/media.ts';
import type { TestProcess } from '../../support/process.ts';
import { testInSandbox } from '../command-sandbox.ts';

test.each([
  ['nothing', {}, []],
  ['its own namespace', { TEMPORAL_NAMESPACE: 'media' }, []],
  ['another namespace', { TEMPORAL_NAMESPACE: 'default' }, ['TEMPORAL_NAMESPACE is "default" here and "media" there']],
  ['another address', { TEMPORAL_ADDRESS: 'a:7233' }, ['TEMPORAL_ADDRESS is "a:7233" here and "127.0.0.1:7300" there']],
  ['its own address by another name', { TEMPORAL_ADDRESS: 'localhost:7300' }, []],
  ['another task queue', { TEMPORAL_TASK_QUEUE: 'b' }, ['TEMPORAL_TASK_QUEUE is "b" here and "holdfast" there']],
  ['its own containers', { CONTAINER_URLS: 'http://b:2,http://a:1' }, []],
  [
    'other containers',
    { CONTAINER_URLS: 'http://c:3' },
    ['CONTAINER_URLS is "http://c:3" here and "http://a:1,http://b:2" there'],
  ],
])('compares settings that name %s with a running stack', (_, variables, conflicts) => {
  const stack = { temporalAddress: '127.0.0.1:7300', namespace: 'media', taskQueue: 'holdfast' };
  const containerUrls = ['http://a:1', 'http://b:2'];
  const facts = { ...stack, pid: 1, command: 'start', uiUrl: undefined, containerUrls, mediaRoot: '/media' };
  expect(findConflicts(facts, readSettings({ TEMPORAL_CONFIG_FILE: '/nowhere', ...variables }))).toEqual(conflicts);
});

testInSandbox('chunk and process use the stack of `npm start` and leave it running', async ({ sandbox }) => {
  await sandbox.start();
  await copyFile(musicOgg, join(sandbox.folder, 'music.ogg'));

  const [chunk, process] = [
    sandbox.npm('chunk', '--', 'talk.wav', '--chunk-duration', '5', '--overlap-duration', '1'),
    sandbox.npm('process', '--', 'music.ogg', '--chunk-duration', '10', '--provider', 'none', '--out', 'out'),
  ];
  expect(await chunk.exited, chunk.output).toEqual({ code: 0, signal: null });
  expect(await process.exited, process.output).toEqual({ code: 0, signal: null });

  const chunks = (await readdir(join(sandbox.folder, 'talk-chunks'))).sort();
  expect(chunks).toEqual([...[0, 1, 2, 3].map((index) => `chunk-0000${index}.wav`), 'chunks.json']);
  expect((await probeAudio(join(sandbox.folder, 'talk-chunks', chunks[1] ?? ''))).duration).toBeCloseTo(5, 1);
  const processed = await readdir(join(sandbox.folder, 'out'));
  expect(processed.filter((name) => name.startsWith('encoded'))).toHaveLength(1);
  expect(processed.filter((name) => name.startsWith('chunk-'))).toHaveLength(3);
  expect(processed).toContain('chunks.json');
  expect(await sandbox.isTemporalUp()).toBe(true);

  const second = sandbox.npm('start');
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.output).toMatch(/Everything is already running/);
});

testInSandbox('concurrent commands share one stack, and its owner waits for the other command', async ({ sandbox }) => {
  // The first command runs until the second one has started, which then waits for the container.
  sandbox.setVariables({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.1' });
  const media = await MediaServer.start();
  onTestFinished(() => media.stop());
  const hasCome = Promise.withResolvers<void>();
  const held = media.on('GET /held.wav', async (_, response) => {
    await hasCome.promise;
    createReadStream(speechWav).pipe(response);
  });
  const isRunning = (command: TestProcess) => command.until('run', () => command.output.includes('.wav →'));
  const first = sandbox.npm('encode', '--', held, '--out', 'a');
  await isRunning(first);
  const second = sandbox.npm('encode', '--', await longWav({ seconds: 120 }), '--format', 'opus_24', '--out', 'b');
  await isRunning(second);
  hasCome.resolve();
  for (const command of [first, second]) {
    expect(await command.exited, command.output).toEqual({ code: 0, signal: null });
  }
  expect(second.output).not.toContain('Starting Temporal');
  for (const name of ['a', 'b']) expect(await readdir(join(sandbox.folder, name))).toHaveLength(1);
  expect(await sandbox.hasEnded()).toBe(true);
});
