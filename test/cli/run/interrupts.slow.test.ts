import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { MediaServer } from '../../fixtures/media-server.ts';
import { longWav, speechWav } from '../../support/media.ts';
import { testInSandbox } from '../command-sandbox.ts';

testInSandbox('Ctrl-C cancels a run whose worker stops with the command', async ({ sandbox }) => {
  const long = await longWav({ seconds: 1800, channels: 2 });
  const encode = sandbox.npm('encode', '--', long, '--format', 'mp3_128', '--format', 'aac_128', '--format', 'opus_96');
  await encode.until('progress', () => /^(?:downloading|inspecting|encoding)/m.test(encode.output));
  expect(await encode.stop('SIGINT', 40_000)).toEqual({ code: 130, signal: null });
  expect(encode.output).toMatch(/Cancelling the run.*Cancelled\. No file was written\./s);
  expect(await readdir(sandbox.folder)).toEqual(['talk.wav']);
  expect(await readdir(join(sandbox.home, 'media'))).toEqual([]);
  expect(await sandbox.hasEnded()).toBe(true);
});

testInSandbox(
  'Ctrl-C leaves a run to the stack of `npm start`, and prints where its files will be',
  async ({ sandbox }) => {
    sandbox.setVariables({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.1' });
    const start = await sandbox.start();
    const media = await MediaServer.start();
    onTestFinished(() => media.stop());
    const isDetached = Promise.withResolvers<void>();
    const source = media.on('GET /talk.wav', async (_, response) => {
      await isDetached.promise;
      createReadStream(speechWav).pipe(response);
    });
    const encode = sandbox.npm('encode', '--', source, '--format', 'opus_24');
    await encode.until('progress', () => /^downloading/m.test(encode.output));
    expect(await encode.stop('SIGINT')).toEqual({ code: 130, signal: null });
    isDetached.resolve();
    const [, filesFolder = ''] = /Detached: .*Its files:\s+(\S+)/s.exec(encode.output) ?? [];
    await start.until('file of the detached run', async () => (await readdir(filesFolder)).length === 1);
  },
);
