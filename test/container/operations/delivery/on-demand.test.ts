import { connect } from 'node:net';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { md5Of, useDelivery } from './use-delivery.ts';

const service = await useDelivery();
const { give, submit, untilEnded, untilWanted, wantedOf } = service;

describe('delivery on demand', () => {
  test('lists verified files in phase deliver, and stores them at the URLs it is given', async () => {
    const jobId = await submit([
      { format: 'mp3_64', deliver: 'on_demand' },
      { format: 'wav', deliver: 'on_demand' },
    ]);
    const wanted = await untilWanted(jobId, 2);
    expect(wanted.map(({ output, name, contentType }) => [output, name, contentType])).toEqual([
      [0, '', 'audio/mpeg'],
      [1, '', 'audio/wav'],
    ]);
    const job = await service.container.job(jobId);
    expect(job).toMatchObject({ state: 'running', phase: 'deliver' });
    expect((await service.container.call('GET', '/jobs')).body.jobs[0]).not.toHaveProperty('wanted');
    // The job holds the slot until everything is stored.
    expect((await service.container.call('POST', '/encode', service.request())).status).toBe(429);

    const answer = await give(
      jobId,
      { output: 0, url: `${service.media.url}/a.mp3`, headers: { 'x-note': 'kept' } },
      { output: 1, url: service.container.fileUrl('a.wav') },
    );
    expect(answer).toMatchObject({ status: 202, body: { success: true, jobId, state: 'running' } });
    const ended = await untilEnded(jobId);
    if (ended.state !== 'succeeded') throw new Error(JSON.stringify(ended));
    const { outputs } = EncodeResult.parse(ended.result);
    const stored = service.media.stored.get('/a.mp3');
    const body = stored?.body ?? Buffer.alloc(0);
    expect(stored?.headers).toMatchObject({ 'x-note': 'kept', 'content-md5': wanted[0]?.md5 });
    expect(wanted.map(({ size }) => size)).toEqual(outputs.map(({ size }) => size));
    expect(md5Of(body, 'base64')).toBe(wanted[0]?.md5);
    expect(createHash('sha256').update(body).digest('hex')).toBe(outputs[0]?.sha256);
  });

  test('takes upload URLs one by one, and stores an output with its own URL at once', async () => {
    const jobId = await submit([
      { format: 'mp3_64', uploadUrl: `${service.media.url}/own.mp3` },
      { format: 'mp3_96', deliver: 'on_demand' },
      { format: 'flac', deliver: 'on_demand' },
    ]);
    await untilWanted(jobId, 2);
    await expect.poll(() => service.media.stored.has('/own.mp3')).toBe(true);
    expect((await give(jobId, { output: 2, url: `${service.media.url}/late.flac` })).status).toBe(202);
    expect((await untilWanted(jobId)).map(({ output }) => output)).toEqual([1]);
    await give(jobId, { output: 1, url: `${service.media.url}/later.mp3` });
    expect((await untilEnded(jobId)).state).toBe('succeeded');
    expect(service.media.stored.has('/late.flac')).toBe(true);
  });

  test('announces wanted files as job events', async () => {
    const jobId = await submit();
    const response = await fetch(`${service.container.url}/jobs/${jobId}/events`);
    let text = '';
    for await (const part of response.body ?? []) {
      text += Buffer.from(part).toString();
      if (text.includes('"wanted"')) break;
    }
    expect(text).toContain('"phase":"deliver"');
    await give(jobId, { url: `${service.media.url}/by-event.wav` });
    expect((await untilEnded(jobId)).state).toBe('succeeded');
  });

  test('rejects upload URLs before any are wanted and after the job has ended', async () => {
    const never = service.media.on('GET /never', () => {});
    const early = await service.container.submit('/encode', {
      sourceUrl: never,
      outputs: [{ format: 'wav', deliver: 'on_demand' }],
    });
    const url = `${service.media.url}/x.wav`;
    expect(await give(early, { url })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', error: 'The job needs no upload URLs: it is in phase download.' },
    });
    await service.container.call('DELETE', `/jobs/${early}`);
    expect(await give(early, { url })).toMatchObject({
      status: 400,
      body: { error: 'The job needs no upload URLs: it is cancelled.' },
    });
    expect(await give('no-such-job', { url })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

test('rejects impossible upload URLs without any change, and accepts the right ones afterwards', async () => {
  const jobId = await submit([
    { format: 'wav', deliver: 'on_demand' },
    { format: 'mp3_64', deliver: 'on_demand' },
    { format: 'mp3_96', uploadUrl: `${service.media.url}/direct.mp3?X-Amz-Signature=1` },
  ]);
  const wanted = await untilWanted(jobId, 2);
  const size = wanted[0]?.size ?? 0;
  const url = `${service.media.url}/ok.wav`;
  const parts = (target: object) => ({ ...service.partStore(3).target, ...target });
  const many = (count: number) => Array.from({ length: count }, (_, index) => `${url}/${index}`);
  const cases: [object[], string, number?][] = [
    [[{ url, output: 3 }], 'the job has no output 3'],
    [[{ url, name: 'master.m3u8' }], 'the job has no output 0, "master.m3u8"'],
    [[{ url }, { url: `${url}2` }], 'output 0 is named twice'],
    [[{ url, output: 2 }], 'output 2 has an uploadUrl in the request'],
    [[{ url }, { url, output: 1 }], 'the same place as another file'],
    [[{ url: `${service.media.url}/direct.mp3?X-Amz-Signature=2` }], 'the same place as another file'],
    [[{ url, ...parts({}) }], 'give either url, or partUrls, partSize, completeUrl, abortUrl together'],
    [[parts({ abortUrl: undefined })], 'give either url, or partUrls, partSize, completeUrl, abortUrl together'],
    [
      [parts({ completeUrl: `${url}?comp=blocklist&sv=1&se=2&sr=b&sp=cw&sig=s` })],
      'give either url, or partUrls, partSize, completeUrl together',
    ],
    [[{}], 'give either url, or partUrls, partSize, completeUrl, abortUrl together'],
    [[{ ...service.partStore(2).target }], `${size} bytes in parts of 5242880 need 3 partUrls, not 2`],
    [[parts({ partUrls: many(4), partSize: 4_000_000 })], 'every part but the last must have at least 5242880 bytes'],
    [[parts({ partUrls: many(10_001) })], 'expected array to have <=10000 items'],
    [[parts({ partUrls: [url, url, `${url}2`] })], 'two parts have one URL'],
    [[parts({ headers: { 'x-own': 'secret' } })], 'are only for url'],
    [[parts({ completeUrl: 'file:///etc/passwd' })], 'must be a URL that starts with https://, http://'],
    [[{ url: 's3://bucket/key' }], 'must be a URL that starts with', 403],
    [[{ url, note: 'x' }], 'Unrecognized key'],
    [[{ url: 'https://a.test/x?X-Amz-Signature=1&X-Amz-SignedHeaders=host;x-amz-acl' }], 'x-amz-acl'],
    [[{ url: `${url}?X-Amz-Signature=1&Content-Length=5` }], `the file has ${size} bytes, and its URL is signed for 5`],
    [[], 'expected array to have >=1 items'],
    [[{ url: 'http://169.254.169.254/latest' }], 'internal address', 403],
    [[parts({ abortUrl: 'http://10.0.0.1/abort' })], 'internal address', 403],
    [[{ url: 'http://user:secret@127.0.0.1/x' }], 'user name or password', 403],
    [[{ url: 'file:///etc/hold.wav' }], 'outside MEDIA_ROOT', 403],
  ];
  for (const [urls, sentence, status = 400] of cases) {
    const answer = await give(jobId, ...urls);
    expect(answer, sentence).toMatchObject({ status, body: { success: false } });
    expect(answer.body.error).toContain(sentence);
    expect(await wantedOf(jobId)).toEqual(wanted);
  }
  // One bad URL rejects the whole request.
  expect((await give(jobId, { url }, { output: 1, url: 'http://10.0.0.1/x' })).status).toBe(403);
  expect(await wantedOf(jobId)).toEqual(wanted);
  expect((await give(jobId, { url }, { output: 1, url: `${url}.mp3` })).status).toBe(202);
  expect((await untilEnded(jobId)).state).toBe('succeeded');
});

test('reads four requests with upload URLs at a time, and answers further ones with 429', async () => {
  const jobId = await submit();
  await untilWanted(jobId);
  const head = `POST /jobs/${jobId}/upload-urls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json`;
  const slow = Array.from({ length: 4 }, () => connect(Number(new URL(service.container.url).port), '127.0.0.1'));
  for (const socket of slow) socket.write(`${head}\r\nContent-Length: 1000\r\n\r\n{`);
  // This request changes nothing, whether or not it is refused.
  const isRefused = async (): Promise<boolean> => {
    const answer = await give(jobId, { output: 9, url: `${service.media.url}/nowhere` });
    return answer.status === 429 && answer.headers['retry-after'] === '1';
  };
  await service.container.process.until('refusal', isRefused);
  for (const socket of slow) socket.destroy();
  await service.container.process.until('room', async () => !(await isRefused()));
  expect((await give(jobId, { url: `${service.media.url}/room.wav` })).status).toBe(202);
  expect((await untilEnded(jobId)).state).toBe('succeeded');
});

test('requires either an uploadUrl or delivery on demand', async () => {
  const uploadUrl = `${service.media.url}/x`;
  for (const output of [
    { format: 'wav' },
    { format: 'wav', uploadUrl, deliver: 'on_demand' },
    { format: 'wav', deliver: 'later' },
    { format: 'wav', deliver: 'on_demand', headers: { 'x-a': 'b' } },
  ]) {
    const answer = await service.container.call('POST', '/encode', service.request([output]));
    expect(answer, JSON.stringify(output)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  }
});
