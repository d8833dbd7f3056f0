import type { ApplicationFailure } from '@temporalio/common';
import { afterEach, expect, test, vi } from 'vitest';
import { prepare, prepareActivity } from '../../activities/prepare.ts';
import { jsonBytes } from '../../contract/payload-size.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import { openStores } from '../../stores/backends.ts';
import { fakeStores } from '../support/fake-stores.ts';

const output = { format: 'mp3_128', uploadUrl: 's3://bucket/a.mp3' };

test.each<[WorkflowType, unknown]>([
  ['encode', { sourceUrl: 'file:///a.wav', outputs: [output] }],
  ['encode', { sourceUrl: 's3://bucket/a.wav', outputs: [output], retry: { maxRetryTime: 60 } }],
  [
    'encode',
    {
      sourceUrl: 'file:///a.wav',
      outputs: [{ ...output, chapters: { url: 's3://bucket/c.json' }, cover: { url: 's3://bucket/c.png' } }],
    },
  ],
  ['chunking', { sourceUrl: 'https://m.test/a', uploadUrlPrefix: 's3://bucket/a/' }],
  ['chunking', { sourceUrl: 'gs://bucket/a', uploadUrlPrefix: 'az://account/media/a/' }],
  ['processing', { sourceUrl: 'az://account/media/a', uploadUrlPrefix: 'gs://bucket/a/' }],
  ['chunking', { sourceUrl: 's3://bucket/a/talk.wav', uploadUrlPrefix: 's3://bucket/a/' }],
  ['processing', { sourceUrl: 's3://bucket/a/encoded.wav', uploadUrlPrefix: 's3://bucket/a/' }],
  ['chunking', { sourceUrl: 'https://m.test/a', chunks: [{ index: 0, uploadUrl: 'https://m.test/0' }] }],
  ['processing', { sourceUrl: 'https://m.test/a', uploadUrlPrefix: 'file:///out/', chunkDuration: 30 }],
])('%s accepts %j', async (type, input) => {
  expect(await prepare(type, input)).toEqual(input);
});

/** Inputs whose outputs would replace what they read. */
const ownSources: [WorkflowType, unknown, string][] = [
  ['encode', { sourceUrl: 's3://bucket/a.mp3', outputs: [output] }, 'replace the file that sourceUrl names'],
  ...['az://account/media/a.mp3', 'gs://bucket/a.mp3'].map((url): [WorkflowType, unknown, string] => [
    'encode',
    { sourceUrl: url, outputs: [{ ...output, uploadUrl: url }] },
    'replace the file that sourceUrl names',
  ]),
  [
    'processing',
    { sourceUrl: 'az://account/media/p/encoded.ogg', uploadUrlPrefix: 'az://account/media/p/' },
    'uploadUrlPrefix',
  ],
  [
    'encode',
    { sourceUrl: 's3://bucket/a.wav', outputs: [{ ...output, cover: { url: 's3://bucket/a.mp3' } }] },
    'replace the file that outputs.0.cover names',
  ],
  [
    'encode',
    {
      sourceUrl: 'https://m.test/b/a.mp3?X-Amz-Signature=1',
      outputs: [{ ...output, uploadUrl: 'https://m.test/b/a.mp3?X-Amz-Signature=2' }],
    },
    'outputs[0].uploadUrl',
  ],
  [
    'encode',
    { sourceUrl: 's3://bucket/p/v720.mp4', outputs: [{ package: ['hls'], uploadUrlPrefix: 's3://bucket/p/' }] },
    'outputs[0].uploadUrlPrefix',
  ],
  ['chunking', { sourceUrl: 's3://bucket/p/chunk-00001.wav', uploadUrlPrefix: 's3://bucket/p/' }, 'uploadUrlPrefix'],
  [
    'chunking',
    { sourceUrl: 'file:///m/a.wav', chunks: [{ index: 0, uploadUrl: 'file:///m/x/../a.wav' }] },
    'chunks[0].uploadUrl',
  ],
  ['processing', { sourceUrl: 's3://bucket/p/encoded.ogg', uploadUrlPrefix: 's3://bucket/p/' }, 'uploadUrlPrefix'],
];

test.each<[WorkflowType, unknown, string]>([
  ['encode', undefined, 'expected object'],
  ['encode', { sourceUrl: 'file:///a.wav', outputs: [] }, 'outputs'],
  ['encode', { sourceUrl: 'sftp://nas/a/', outputs: [output] }, 'sftp://nas/a/ does not name a file'],
  ['encode', { sourceUrl: 'sftp://nas/a/../b', outputs: [output] }, 'sftp://nas/a/../b does not name a file'],
  ['encode', { sourceUrl: 'sftp://ana:pass@nas/a', outputs: [output] }, 'must name a host alone before its path'],
  ['encode', { sourceUrl: 's3://bucket', outputs: [output] }, 's3://bucket does not name a bucket and a key'],
  ['encode', { sourceUrl: 'gs://bucket', outputs: [output] }, 'gs://bucket does not name a bucket and a key'],
  [
    'encode',
    { sourceUrl: 'az://account/a', outputs: [output] },
    'az://account/a does not name an account, a container and a key',
  ],
  ['encode', { sourceUrl: 'file:///a.wav', outputs: [output], retries: 3 }, 'retries'],
  [
    'encode',
    { sourceUrl: 'file:///a.wav', outputs: [{ ...output, cover: { url: 's3://bucket' } }] },
    's3://bucket does not name a bucket and a key',
  ],
  ['encode', { sourceUrl: 'file:///a.wav', outputs: [output], retry: { maxRetryTime: 'long' } }, 'maxRetryTime'],
  ['chunking', { sourceUrl: 'file:///a.wav' }, 'give either uploadUrlPrefix or chunks'],
  ['chunking', { sourceUrl: 'file:///a.wav', uploadUrlPrefix: 's3://bucket/a' }, 'must end with /'],
  [
    'processing',
    { sourceUrl: 'file:///a.wav', uploadUrlPrefix: 's3://b2_/a/', chunkDuration: 2, overlapDuration: 2 },
    'shorter than chunkDuration',
  ],
  ...ownSources,
])('%s rejects %j', async (type, input, words) => {
  await expect(prepare(type, input)).rejects.toMatchObject({
    type: 'InvalidRequest',
    nonRetryable: true,
    message: expect.stringContaining(words),
  });
});

test('reports an entirely invalid list in a few lines', async () => {
  const chunks = Array.from({ length: 9_900 }, (_, index) => ({ index, uploadUrl: `ftp://media.test/${index}` }));
  const refused: unknown = await prepare('chunking', { sourceUrl: 'file:///a.wav', chunks }).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({ type: 'InvalidRequest', message: expect.stringContaining('chunks[0].uploadUrl') });
  expect(jsonBytes([(refused as Error).message, (refused as ApplicationFailure).details])).toBeLessThan(10_000);
});

afterEach(() => void vi.unstubAllEnvs());

const account = `DefaultEndpointsProtocol=https;AccountName=account;AccountKey=${Buffer.from('key').toString('base64')};EndpointSuffix=core.windows.net`;

test.each([
  ['s3://bucket/p/', 'https://bucket.s3.eu-west-1.amazonaws.com/p/transcript.vtt'],
  ['az://account/media/p/', 'https://account.blob.core.windows.net/media/p/transcript.vtt'],
])('refuses a transcript at %s that would replace the subtitles at %s', async (uploadUrlPrefix, url) => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  const stores = openStores({ AWS_REGION: 'eu-west-1', AZURE_STORAGE_CONNECTION_STRING: account }, 60);
  const prepared = prepareActivity(undefined, stores);
  await expect(prepared('encode', captioned(url, uploadUrlPrefix))).rejects.toMatchObject({
    type: 'InvalidRequest',
    message: expect.stringContaining('transcript.uploadUrlPrefix would replace the file that outputs.0.subtitles'),
  });
  const elsewhere = captioned(url.replace('/p/', '/q/'), uploadUrlPrefix);
  expect(await prepared('encode', elsewhere)).toMatchObject({ transcript: { uploadUrlPrefix } });
});

test('does not wait for a source of credentials that hangs', async () => {
  const stores = fakeStores({ sign: () => new Promise(() => undefined) });
  const input = captioned('https://m.test/film.vtt', 's3://bucket/p/');
  expect(await prepareActivity(undefined, stores)('encode', input)).toMatchObject(input);
});

/** Input whose output has captions from the run's transcript, and these subtitles. */
function captioned(subtitles: string, uploadUrlPrefix: string) {
  const output = { preset: 'web-h264-720', uploadUrl: 's3://bucket/film.mp4', captions: true };
  return {
    sourceUrl: 'https://m.test/film.mp4',
    outputs: [{ ...output, subtitles: { add: [{ url: subtitles }] } }],
    transcript: { uploadUrlPrefix },
  };
}
