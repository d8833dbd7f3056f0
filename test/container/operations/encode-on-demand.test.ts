import { connect } from 'node:net';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { EncodeResult } from '../../../contract/http/encode.ts';
import { TestContainer } from '../../support/container.ts';
import { md5Of, useDelivery } from './on-demand-support.ts';

const service = useDelivery();
const { give, submit, untilWanted, wantedOf } = service;

async function untilEnded(jobId: string) {
  return await service.container.untilEnded(jobId);
}

describe('a job whose outputs are delivered on demand', () => {
  test('shows in phase deliver what it has verified, and stores it where it is then told', async () => {
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
    // It has the slot until all is stored.
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

  test('takes the URLs bit by bit, and does not keep an output waiting that has its own', async () => {
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

  test('tells of it by its events', async () => {
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

  test('takes no URLs before it wants any, nor when it has ended', async () => {
    const never = service.media.on('GET /never', () => {});
    const early = await service.container.submit('/encode', {
      sourceUrl: never,
      outputs: [{ format: 'wav', deliver: 'on_demand' }],
    });
    const url = `${service.media.url}/x.wav`;
    expect(await give(early, { url })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', error: 'The job wants no upload URLs: it is in phase download.' },
    });
    await service.container.call('DELETE', `/jobs/${early}`);
    expect(await give(early, { url })).toMatchObject({
      status: 400,
      body: { error: 'The job wants no upload URLs: it is cancelled.' },
    });
    expect(await give('no-such-job', { url })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

test('an answer that cannot be is refused with a sentence, changes nothing, and the right one is taken after it', async () => {
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
    [[{}], 'give either url, or partUrls, partSize, completeUrl, abortUrl together'],
    [[{ ...service.partStore(2).target }], `${size} bytes in parts of 5242880 need 3 partUrls, not 2`],
    [[parts({ partUrls: many(4), partSize: 4_000_000 })], 'every part but the last must have at least 5242880 bytes'],
    [[parts({ partUrls: many(10_001) })], 'expected array to have <=10000 items'],
    [[parts({ partUrls: [url, url, `${url}2`] })], 'two parts have one URL'],
    [[parts({ headers: { 'x-own': 'secret' } })], 'are sent to url alone'],
    [[parts({ completeUrl: 'file:///etc/passwd' })], 'must be a URL that starts with https://, http://'],
    [[{ url: 's3://bucket/key' }], 'must be a URL that starts with'],
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
  // All or nothing.
  expect((await give(jobId, { url }, { output: 1, url: 'http://10.0.0.1/x' })).status).toBe(403);
  expect(await wantedOf(jobId)).toEqual(wanted);
  expect((await give(jobId, { url }, { output: 1, url: `${url}.mp3` })).status).toBe(202);
  expect((await untilEnded(jobId)).state).toBe('succeeded');
});

describe('an upload in parts', () => {
  test('sends each byte in its part, and joins the parts by the ETags that the store gave', async () => {
    const jobId = await submit();
    const [wanted] = await untilWanted(jobId);
    const store = service.partStore(3);
    expect((await give(jobId, store.target)).status).toBe(202);
    expect((await untilEnded(jobId)).state).toBe('succeeded');
    const bodies = [0, 1, 2].map((index) => store.parts.get(index) ?? Buffer.alloc(0));
    expect(bodies.map(({ length }) => length)).toEqual([5_242_880, 5_242_880, (wanted?.size ?? 0) - 2 * 5_242_880]);
    expect(md5Of(Buffer.concat(bodies), 'base64')).toBe(wanted?.md5);
    const numbered = bodies.map(
      (body, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>&#34;${md5Of(body)}&#34;</ETag></Part>`,
    );
    expect(store.completions).toEqual([
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${numbered.join('')}</CompleteMultipartUpload>`,
    ]);
    expect(store.aborts()).toBe(0);
  });

  test('tries a part again alone, and the joining where 200 does not say that it is done', async () => {
    const jobId = await submit();
    await untilWanted(jobId);
    const store = service.partStore(3);
    const { pathname } = new URL(store.target.partUrls[1] ?? '');
    let tries = 0;
    const retried = service.media.on(`PUT ${pathname}-retried`, (request, response) => {
      tries += 1;
      request.resume().once('end', () => {
        if (tries === 1) response.writeHead(503).end();
        else if (tries === 2) response.writeHead(400).end('<Error><Code>RequestTimeout</Code></Error>');
        else response.writeHead(200, { etag: '"second"' }).end();
      });
    });
    let joins = 0;
    const completeUrl = service.media.on(`POST ${pathname}-complete`, (request, response) => {
      joins += 1;
      request.resume();
      const pages = ['\n  \n<?xml?><Error><Code>InternalError</Code></Error>', '<html>A proxy’s page</html>'];
      response.end(pages[joins - 1] ?? '<CompleteMultipartUploadResult/>');
    });
    const partUrls = store.target.partUrls.with(1, retried);
    await give(jobId, { ...store.target, partUrls, completeUrl });
    expect((await untilEnded(jobId)).state).toBe('succeeded');
    expect([tries, joins]).toEqual([3, 3]);
    for (const index of [0, 2]) {
      expect(service.media.count(`PUT ${new URL(partUrls[index] ?? '').pathname}`)).toBe(1);
    }
  });

  test('has succeeded where only the answer to its joining was lost', async () => {
    const jobId = await submit();
    await untilWanted(jobId);
    const store = service.partStore(3);
    let joins = 0;
    const completeUrl = service.media.on('POST /lost-answer', (request, response) => {
      joins += 1;
      request.resume().once('end', () => {
        if (joins === 1) request.socket.destroy();
        else response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
      });
    });
    await give(jobId, { ...store.target, completeUrl });
    expect((await untilEnded(jobId)).state).toBe('succeeded');
    expect(joins).toBe(2);
  });

  test.each([
    ['a part', { part: 403 }],
    ['the joining', { complete: 404 }],
  ])(
    'that fails for good at %s is aborted, and the job fails',
    async (_what, { part, complete }: Record<string, number | undefined>) => {
      const jobId = await submit();
      await untilWanted(jobId);
      const store = service.partStore(3);
      const { target } = store;
      const refuse = (when: string, status: number) =>
        service.media.on(when, (request, response) => {
          request
            .resume()
            .once('end', () => response.writeHead(status).end('<Error><Code>NoSuchUpload</Code></Error>'));
        });
      await give(jobId, {
        ...target,
        ...(part !== undefined && { partUrls: target.partUrls.with(2, refuse('PUT /refused', part)) }),
        ...(complete !== undefined && { completeUrl: refuse('POST /refused', complete) }),
      });
      expect(await untilEnded(jobId)).toMatchObject({ state: 'failed', error: { code: 'upload_refused' } });
      expect(store.aborts()).toBe(1);
    },
  );
});

describe('URLs that are given again', () => {
  test('the same answer twice is taken and changes nothing', async () => {
    const jobId = await submit();
    await untilWanted(jobId);
    const store = service.partStore(3);
    const answers = await Promise.all([give(jobId, store.target), give(jobId, store.target)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect((await untilEnded(jobId)).state).toBe('succeeded');
    expect(store.completions).toHaveLength(1);
    expect(store.aborts()).toBe(0);
  });

  test('others take the place of those that are not done, and the upload in parts that was begun is aborted', async () => {
    const jobId = await submit();
    await untilWanted(jobId);
    const store = service.partStore(3);
    let isHung = false;
    const hanging = service.media.on('PUT /hanging', () => {
      isHung = true;
    });
    await give(jobId, { ...store.target, partUrls: store.target.partUrls.with(0, hanging) });
    await expect.poll(() => isHung).toBe(true);
    expect((await give(jobId, { url: `${service.media.url}/replaced.wav` })).status).toBe(202);
    expect((await untilEnded(jobId)).state).toBe('succeeded');
    expect(service.media.stored.has('/replaced.wav')).toBe(true);
    await expect.poll(() => store.aborts()).toBe(1);
    expect(store.completions).toEqual([]);
  });

  test('of the same upload in parts, signed anew, keep the parts that are stored', async () => {
    const jobId = await submit();
    await untilWanted(jobId);
    const store = service.partStore(3);
    const hanging = service.media.on('PUT /hanging-again', () => {});
    const { target } = store;
    await give(jobId, { ...target, partUrls: target.partUrls.with(1, hanging) });
    await expect.poll(() => store.parts.size).toBe(2);
    await give(jobId, { ...target, abortUrl: `${target.abortUrl}&X-Amz-Signature=2` });
    expect((await untilEnded(jobId)).state).toBe('succeeded');
    expect(store.aborts()).toBe(0);
    expect(store.completions).toHaveLength(1);
    for (const url of target.partUrls) expect(service.media.count(`PUT ${new URL(url).pathname}`)).toBe(1);
  });
});

describe('the end of a job in phase deliver', () => {
  /** A job that has given one of two files its parts, and whose last part never ends. */
  async function hangingDelivery(container = service.container) {
    const request = service.request([
      { format: 'wav', deliver: 'on_demand' },
      { format: 'mp3_64', deliver: 'on_demand' },
    ]);
    const jobId = await container.submit('/encode', request);
    await container.untilJob(jobId, 'phase deliver', ({ phase }) => phase === 'deliver');
    const store = service.partStore(3);
    let isHung = false;
    const hanging = service.media.on('PUT /never-ends', () => {
      isHung = true;
    });
    const urls = [{ output: 0, name: '', ...store.target, partUrls: store.target.partUrls.with(2, hanging) }];
    expect((await container.call('POST', `/jobs/${jobId}/upload-urls`, { urls })).status).toBe(202);
    await expect.poll(() => isHung).toBe(true);
    return { jobId, store };
  }

  test('by a cancel frees the slot at once and leaves no parts', async () => {
    const { jobId, store } = await hangingDelivery();
    expect((await service.container.call('DELETE', `/jobs/${jobId}`)).body.state).toBe('cancelled');
    expect((await service.container.health()).activeJobs).toBe(0);
    expect(store.aborts()).toBe(1);
    expect(await service.container.jobFolders()).toEqual([]);
  });

  test('frees the slot although the store does not answer the abort, which is tried on', async () => {
    const { jobId, store } = await hangingDelivery();
    let aborts = 0;
    service.media.on(`DELETE ${new URL(store.target.abortUrl).pathname}`, (_request, response) => {
      aborts += 1;
      if (aborts > 2) response.writeHead(204).end();
      else if (aborts === 2) response.writeHead(503).end();
    });
    expect((await service.container.call('DELETE', `/jobs/${jobId}`)).body.state).toBe('cancelled');
    // The first has not been given up yet.
    expect(aborts).toBe(1);
    await expect.poll(() => aborts, { timeout: 30_000 }).toBe(3);
  });

  test('comes where the client of a held request goes', async () => {
    const gone = new AbortController();
    const held = fetch(`${service.container.url}/encode`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(service.request()),
      signal: gone.signal,
    }).catch(() => 'gone');
    const running = async () => (await service.container.call('GET', '/jobs?state=running')).body.jobs[0];
    await expect.poll(async () => (await running())?.phase, { timeout: 20_000 }).toBe('deliver');
    const { jobId } = await running();
    gone.abort();
    expect(await held).toBe('gone');
    expect((await untilEnded(jobId)).state).toBe('cancelled');
  });

  test('comes where nobody says for the time that is set where a file goes', async () => {
    const container = await TestContainer.start({ UPLOAD_URLS_TIMEOUT_SECONDS: '1' });
    try {
      const held = await container.call('POST', '/encode', service.request());
      expect(held).toMatchObject({ status: 504, body: { code: 'upload_urls_missing' } });
      // While a file is on its way the other may come later.
      const { jobId, store } = await hangingDelivery(container);
      await delay(1_500);
      expect((await container.job(jobId)).state).toBe('running');
      await container.call('DELETE', `/jobs/${jobId}`);
      expect(store.aborts()).toBe(1);
    } finally {
      await container.stop();
    }
  });

  test.each([
    ['the time limit of jobs', { JOB_TIMEOUT_SECONDS: '10' }, 'timeout'],
    ['a shutdown', { DRAIN_TIMEOUT_SECONDS: '0' }, 'draining'],
  ])('by %s leaves no parts', async (_what, environment, code) => {
    const container = await TestContainer.start(environment);
    try {
      const { jobId, store } = await hangingDelivery(container);
      if (code === 'draining') await container.process.stop('SIGTERM');
      else expect(await container.untilEnded(jobId)).toMatchObject({ state: 'failed', error: { code } });
      expect(store.aborts()).toBe(1);
      await container.process.untilLogged(/^\[JOB_END\] Failed/);
    } finally {
      await container.stop();
    }
  });
});

test('four answers are read at a time, and more are told to come again', async () => {
  const jobId = await submit();
  await untilWanted(jobId);
  const head = `POST /jobs/${jobId}/upload-urls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json`;
  const slow = Array.from({ length: 4 }, () => connect(Number(new URL(service.container.url).port), '127.0.0.1'));
  for (const socket of slow) socket.write(`${head}\r\nContent-Length: 1000\r\n\r\n{`);
  // Refused or not, it changes nothing.
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

test('an output has either an uploadUrl or is delivered on demand', async () => {
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
