import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { answerRequest, type Handler, LoopbackServer } from './loopback-server.ts';
import { longWav, musicOgg, probeAudio, speechWav } from './media.ts';
import { startS3 } from './s3.ts';
import { s3Client } from './s3-client.ts';
import { stopAfterTest } from './stop-after-all.ts';
import { startTemporal } from './temporal.ts';

test('accepts a presigned PUT at the S3 server, stores the object as a file and rejects a wrong signature', async () => {
  const s3 = await stopAfterTest(startS3(['recordings']));
  const client = s3Client(s3);
  const target = { Bucket: 'recordings', Key: 'a/speech.wav' };
  const body = await readFile(speechWav);
  const putUrl = await getSignedUrl(client, new PutObjectCommand(target), { expiresIn: 60 });
  expect((await request(putUrl, { method: 'PUT', body })).statusCode).toBe(200);
  expect(await readFile(join(s3.folder, 'recordings/a/speech.wav'))).toEqual(body);

  const getUrl = await getSignedUrl(client, new GetObjectCommand(target), { expiresIn: 60 });
  expect(Buffer.from(await (await request(getUrl)).body.arrayBuffer())).toEqual(body);
  const forged = getUrl.replace(/X-Amz-Signature=[0-9a-f]{4}/, 'X-Amz-Signature=0000');
  expect((await request(forged)).statusCode).toBe(403);
  client.destroy();
});

test('starts a healthy Temporal server, and ends it by stop', async () => {
  const temporal = await startTemporal();
  expect(await temporal.cli('operator', 'cluster', 'health')).toContain('SERVING');
  await temporal.stop();
  expect(temporal.process.exit).toEqual({ code: 0, signal: null });
});

test('has fixtures that match their README, and long ones of exact length', async () => {
  expect(await probeAudio(speechWav)).toMatchObject({ codec: 'pcm_s16le', channels: 1, sampleRate: 8_000 });
  expect(await probeAudio(musicOgg)).toMatchObject({ codec: 'vorbis', channels: 2, sampleRate: 44_100 });
  const minute = await longWav({ seconds: 61, channels: 2 });
  expect(await probeAudio(minute)).toMatchObject({ codec: 'pcm_s16le', channels: 2, duration: 61 });
});

/** How a handler ends whose client sends this part of a body of 16 bytes and then disconnects. */
async function endOf(handler: Handler, sent: string): Promise<unknown> {
  const ended = Promise.withResolvers<unknown>();
  const server = await stopAfterTest(
    LoopbackServer.start((incoming, response) => {
      answerRequest(handler, incoming, response).then(ended.resolve, ended.resolve);
      client.destroy();
    }),
  );
  const client = connect(server.port, '127.0.0.1');
  client.write(`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 16\r\n\r\n${sent}`);
  return await ended.promise;
}

const readBody: Handler = async (incoming) => void (await buffer(incoming));

const afterClose =
  (handler: Handler): Handler =>
  async (incoming, response) => {
    await new Promise<void>((resolve) => incoming.once('close', resolve));
    await handler(incoming, response);
  };

test('a client that disconnects is no error outside a test, whether its body is read before or after that', async () => {
  expect(await endOf(readBody, 'the first')).toBeUndefined();
  expect(await endOf(afterClose(readBody), 'the first')).toBeUndefined();
  expect(await endOf(afterClose(readBody), 'the whole of it.')).toBeUndefined();
});

test('an error of the handler itself is reported, even if the client has disconnected', async () => {
  const own = new Error('not as expected');
  const fail: Handler = () => {
    throw own;
  };
  expect(await endOf(afterClose(fail), 'the first')).toBe(own);
});
