import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { probeAll, useEncodes } from '../../../support/encodes.ts';

const service = await useEncodes();
const { encode, encoded, file } = service;

describe('uploads', () => {
  test('uploads with length, type and digest, as the answer reports', async () => {
    const uploadUrl = `${service.media.url}/stored.mp3?X-Amz-Signature=secret`;
    const answer = await encode('speech.wav', [], { outputs: [{ format: 'mp3_64', uploadUrl }] });
    const stored = service.media.stored.get('/stored.mp3');
    const body = stored?.body ?? Buffer.alloc(0);
    expect(answer.body.outputs[0]).toMatchObject({
      size: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
    });
    expect(stored?.headers).toMatchObject({
      'content-length': String(body.length),
      'content-type': 'audio/mpeg',
      'content-md5': createHash('md5').update(body).digest('base64'),
    });
    expect(stored?.headers).not.toHaveProperty('transfer-encoding');
    // A strict store refuses headers that the signature does not cover.
    expect(Object.keys(stored?.headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual([]);
  });

  test('removes the file: uploads of a failed job, but no earlier file', async () => {
    const media = service.container.mediaRoot;
    await writeFile(join(media, 'before.mp3'), 'of another run');
    let tries = 0;
    const refusing = service.media.on('PUT /refusing', async (request, response) => {
      request.resume();
      await expect.poll(async () => readdir(media)).toContain('stored.mp3');
      tries += 1;
      // At the second try the container knows that the other file is stored.
      response.writeHead(tries === 1 ? 503 : 403).end();
    });
    const outputs = [
      { format: 'mp3_64', uploadUrl: service.container.fileUrl('stored.mp3') },
      { format: 'wav', uploadUrl: refusing },
    ];
    const answer = await encode('speech.wav', [], { outputs });
    expect(answer).toMatchObject({ status: 422, body: { code: 'upload_refused' } });
    expect((await readdir(media)).filter((name) => /stored|before/.test(name))).toEqual(['before.mp3']);
  });

  test('retries an upload with every byte after a connection reset and a 503', async () => {
    let tries = 0;
    const bodies: number[] = [];
    const uploadUrl = service.media.on('PUT /breaking', async (request, response) => {
      tries += 1;
      if (tries === 1) request.once('data', () => request.socket.destroy());
      else {
        let bytes = 0;
        for await (const part of request) bytes += (part as Buffer).length;
        bodies.push(bytes);
        response.writeHead(tries === 2 ? 503 : 200).end();
      }
    });
    const answer = await encode('music.wav', [], { outputs: [{ format: 'wav', uploadUrl }] });
    expect(answer.status).toBe(200);
    expect(tries).toBe(3);
    expect(bodies).toEqual([answer.body.outputs[0].size, answer.body.outputs[0].size]);
  });

  test.each([
    [400, 'RequestTimeout'],
    [400, 'IncompleteBody'],
    [409, 'OperationAborted'],
    [409, 'ConditionalRequestConflict'],
  ])('retries an upload after %i %s', async (status, storeCode) => {
    let tries = 0;
    const uploadUrl = service.media.on(`PUT /${storeCode}`, (request, response) => {
      tries += 1;
      const page = `<Error><Code>${storeCode}</Code></Error>`;
      request.resume().once('end', () => (tries === 1 ? response.writeHead(status).end(page) : response.end()));
    });
    expect(await encode('sibling.mp3', [], { outputs: [{ format: 'wav', uploadUrl }] })).toMatchObject({ status: 200 });
    expect(tries).toBe(2);
  });

  test.each([
    [400, 'EntityTooLarge'],
    [400, 'BadDigest'],
    [403, 'RequestTimeTooSkewed'],
    [412, 'PreconditionFailed'],
    [409, 'BlobImmutableDueToPolicy'],
  ])('does not retry an upload after %i %s', async (status, storeCode) => {
    const uploadUrl = service.media.on(`PUT /${storeCode}`, (request, response) => {
      const page = `<Error><Code>${storeCode}</Code></Error>`;
      request.resume().once('end', () => response.writeHead(status).end(page));
    });
    const answer = await encode('sibling.mp3', [], { outputs: [{ format: 'wav', uploadUrl }] });
    expect(answer).toMatchObject({ status: 422, body: { code: 'upload_refused', details: { status, storeCode } } });
    expect(service.media.count(`PUT /${storeCode}`)).toBe(1);
  });

  test('reports a refusal by a store that answers early or whose page breaks off', async () => {
    const early = service.media.on('PUT /early', (request, response) => {
      response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      // A store that stopped reading would reset the connection, and the answer could be lost.
      request.resume();
    });
    const broken = service.media.on('PUT /broken-page', (request, response) => {
      request.resume().once('end', () => {
        response.writeHead(403, { 'content-length': '9999' });
        response.write('<Error>', () => response.destroy());
      });
    });
    for (const uploadUrl of [early, broken]) {
      const answer = await encode('music.wav', [], { outputs: [{ format: 'wav', uploadUrl }] });
      expect(answer).toMatchObject({ status: 422, body: { code: 'upload_refused', details: { status: 403 } } });
    }
    expect(service.media.count('PUT /early')).toBe(1);
    expect(service.media.count('PUT /broken-page')).toBe(1);
  });

  test('stores a whole file in new folders, under a name of any length', async () => {
    const name = `deep/er/${'n'.repeat(255)}`;
    const outputs = [{ format: 'wav', uploadUrl: service.container.fileUrl(name) }];
    await encoded('speech.wav', [], { outputs });
    expect(await readdir(file('deep/er'))).toEqual(['n'.repeat(255)]);
    // The second upload replaces the first.
    await encoded('speech.wav', [], { outputs: [{ ...outputs[0], format: 'flac' }] });
    expect((await probeAll(file(name))).streams[0]?.codec_name).toBe('flac');
  });
});
