import { expect, test } from 'vitest';
import { anybodyHere } from '../../../server/access/caller.ts';
import { FileNames } from '../../../server/files/file-names.ts';
import type { Uploads } from '../../../server/files/uploads.ts';

const context = { caller: anybodyHere, folder: 'of-the-run' };

test('accepts an upload as an input, and refuses it as the place of an output', async () => {
  const uploads = { finished: async (id: string) => `/media/uploads/${id}` } as unknown as Uploads;
  const names = new FileNames({ uploads });
  const input = { sourceUrl: 'upload:a', outputs: [{ cover: { url: 'upload:b' } }] };
  expect(await names.resolve(input, context)).toEqual({
    sourceUrl: 'file:///media/uploads/a',
    outputs: [{ cover: { url: 'file:///media/uploads/b' } }],
  });
  for (const place of [{ uploadUrl: 'upload:b' }, { uploadUrlPrefix: 'UPLOAD:b/' }]) {
    const outputs = [{ format: 'wav', ...place }];
    await expect(names.resolve({ ...input, outputs }, context)).rejects.toMatchObject({ code: 'invalid_request' });
  }
});

test.each(['metadata', 'headers'])('takes no entry of %s for the URL of a file, whatever its name', async (field) => {
  const folders = { root: '/media', uploads: '/media/uploads', results: '/media/results', transcripts: '/media/t' };
  const names = new FileNames({ folders });
  const input = { outputs: [{ [field]: { url: 'result:talk.mp3', originalUrl: 's3://archive/talk.wav' } }] };
  const anna = { ...anybodyHere, owner: 'anna' };
  expect(await names.resolve(input, { ...context, caller: anna })).toEqual(input);
  await names.requireOwnObjects(input, anna);
});

test('shows the results of one folder by name, and those of others by their whole URL', () => {
  const folders = { root: '/media', uploads: '/media/uploads', results: '/media/results', transcripts: '/media/t' };
  const names = new FileNames({ folders });
  const urls = ['file:///media/results/of-the-run/talk.mp3', 'file:///media/results/another/talk.mp3'];
  expect(names.show(urls, 'of-the-run')).toEqual(['result:talk.mp3', urls[1]]);
  expect(names.show(urls)).toEqual(['result:talk.mp3', 'result:talk.mp3']);
});

test('refuses the name of a folder as the place of one file', async () => {
  const folders = { root: '/media', uploads: '/media/uploads', results: '/media/results', transcripts: '/media/t' };
  const names = new FileNames({ folders });
  await expect(names.resolve({ uploadUrl: 'result:talk/' }, context)).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(await names.resolve({ uploadUrlPrefix: 'result:talk/' }, context)).toEqual({
    uploadUrlPrefix: 'file:///media/results/of-the-run/talk/',
  });
});

function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

test('refuses an input that would exhaust the stack', async () => {
  const names = new FileNames();
  await expect(names.resolve({ tags: nested(100_000) }, context)).rejects.toMatchObject({ code: 'invalid_request' });
  const input = { tags: nested(50) };
  expect(await names.resolve(input, context)).toEqual(input);
});
