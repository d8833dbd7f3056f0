import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChunkingOutcome } from '../../contract/workflow/chunking.ts';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { makeMedia, sha256Of } from '../support/media-files.ts';
import { readTags } from '../engine/formats/tags/read-tags.ts';
import { longWav, musicOgg, probeAudio, speechWav } from '../support/media.ts';
import { startS3 } from '../support/s3.ts';
import { s3Client } from '../support/s3-client.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const s3 = await stopAfterAll(startS3(['media']));
const stack = await stopAfterAll(TestStack.start({ containers: 2, workerEnvironment: s3.environment }));
for (const { mediaRoot } of stack.containers) {
  await copyFile(speechWav, join(mediaRoot, 'speech.wav'));
}
await copyFile(speechWav, join(s3.folder, 'media/speech.wav'));
await copyFile(musicOgg, join(s3.folder, 'media/music.ogg'));
await copyFile(await longWav({ seconds: 130 }), join(s3.folder, 'media/long.wav'));

test('encode reads source, chapters and cover from s3 and writes two formats to s3 in one run', async () => {
  const chapters = [
    { startTime: 0, title: 'Anfang' },
    { startTime: 7.5, title: 'Ende' },
  ];
  await writeFile(join(s3.folder, 'media/chapters.json'), JSON.stringify({ version: '1.2.0', chapters }));
  await makeMedia(join(s3.folder, 'media'), 'cover.png', '-f', 'lavfi', '-i', 'testsrc=s=800x600', '-frames:v', '1');
  const tags = {
    metadata: { title: 'Ein Vortrag' },
    chapters: { url: 's3://media/chapters.json' },
    cover: { url: 's3://media/cover.png' },
  };
  const handle = await stack.run('encode', {
    sourceUrl: 's3://media/speech.wav',
    outputs: [
      { format: 'mp3_128', uploadUrl: 's3://media/out/speech.mp3', ...tags },
      { format: 'opus_24', channels: 1, sampleRate: 24_000, uploadUrl: 's3://media/out/speech.ogg' },
    ],
  });
  const outcome = EncodeOutcome.parse(await handle.result());
  expect(outcome).toMatchObject({ attempts: 1, rateLimitHits: 0, connectionErrors: 0 });
  const source = await probeAudio(speechWav);
  for (const [index, name] of ['speech.mp3', 'speech.ogg'].entries()) {
    const path = join(s3.folder, 'media/out', name);
    const output = outcome.outputs[index];
    expect(output?.sha256).toBe(await sha256Of(path));
    expect(output?.duration).toBeCloseTo(source.duration, 1);
    expect((await probeAudio(path)).codec).toBe(name === 'speech.mp3' ? 'mp3' : 'opus');
  }
  expect(outcome.outputs[0]).toMatchObject({ chapters: 2, cover: { width: 1400, height: 1400 } });
  const read = await readTags(join(s3.folder, 'media/out/speech.mp3'));
  expect(read).toMatchObject({ title: 'Ein Vortrag', chapters: [{ start: 0 }, { start: 7.5, title: 'Ende' }] });
  expect(await stack.status(handle)).toMatchObject({ state: 'done', phase: 'done', percent: 100 });
});

test('processing keeps a source whose presigned URL is the place of a chunk', async () => {
  const client = s3Client(s3);
  const object = { Bucket: 'media', Key: 'own/chunk-00000.mp3' };
  await client.send(new PutObjectCommand({ ...object, Body: await readFile(speechWav) }));
  const path = join(s3.folder, 'media/own/chunk-00000.mp3');
  const before = await sha256Of(path);
  const sourceUrl = await getSignedUrl(client, new GetObjectCommand(object));
  const input = { sourceUrl, uploadUrlPrefix: 's3://media/own/', format: 'mp3_64' };
  const failure = await (await stack.run('processing', input)).result().catch((error: Error) => error.cause);
  expect(failure).toMatchObject({ type: 'InvalidRequest', message: expect.stringContaining('originalUrl names') });
  expect(await sha256Of(path)).toBe(before);
});

test('chunking plans the chunks itself', async () => {
  const handle = await stack.run('chunking', {
    sourceUrl: 's3://media/long.wav',
    uploadUrlPrefix: 's3://media/chunks/',
    chunkDuration: 50,
    overlapDuration: 5,
  });
  const outcome = ChunkingOutcome.parse(await handle.result());
  expect(outcome.totalChunks).toBe(3);
  expect(outcome.totalDuration).toBeCloseTo(130, 2);
  expect(outcome.chunks?.map(({ start }) => start)).toEqual([0, 45, 90]);
  expect(outcome.chunks?.map(({ duration }) => Math.round(duration))).toEqual([50, 50, 40]);
  for (const { index, sha256: expected } of outcome.chunks ?? []) {
    expect(await sha256Of(join(s3.folder, `media/chunks/chunk-0000${index}.wav`))).toBe(expected);
  }
});

test('processing encodes mono Opus and cuts it into chunks', async () => {
  const handle = await stack.run('processing', {
    sourceUrl: 's3://media/long.wav',
    uploadUrlPrefix: 's3://media/processed/',
  });
  const outcome = ProcessingOutcome.parse(await handle.result());
  expect(outcome.encoded).toMatchObject({ format: 'opus_24', channels: 1, url: 's3://media/processed/encoded.ogg' });
  expect(outcome.chunks ?? []).toHaveLength(3);
  for (const chunk of outcome.chunks ?? []) {
    expect(chunk.status).toBe('completed');
    const path = join(s3.folder, chunk.url.slice('s3://'.length));
    expect(chunk.sha256).toBe(await sha256Of(path));
    expect(await probeAudio(path)).toMatchObject({ codec: 'opus', channels: 1 });
  }
});

test('twelve concurrent runs on two containers succeed without a 429', async () => {
  const handles = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      stack.run('encode', {
        sourceUrl: 's3://media/music.ogg',
        outputs: [{ format: 'mp3_64', uploadUrl: `s3://media/many/${index}.mp3` }],
      }),
    ),
  );
  const outcomes = await Promise.all(handles.map(async (handle) => EncodeOutcome.parse(await handle.result())));
  expect(new Set(outcomes.map(({ outputs }) => outputs[0]?.sha256)).size).toBe(1);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ attempts: 1, rateLimitHits: 0 });
  for (const container of stack.containers) {
    expect(container.process.messages().some((line) => line.startsWith('[RATE_LIMIT]'))).toBe(false);
    expect(container.process.messages().some((line) => line.startsWith('[JOB_START]'))).toBe(true);
  }
});
