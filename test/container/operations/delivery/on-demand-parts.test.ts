import { describe, expect, test } from 'vitest';
import { md5Of, useDelivery } from './use-delivery.ts';

const service = await useDelivery();
const { give, submit, untilEnded, untilWanted } = service;

describe('uploads in parts', () => {
  test('sends each byte in its part, and completes the upload with the ETags of the store', async () => {
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

  test('retries only the failed part, and a completion whose 200 holds no success', async () => {
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

  test('succeeds if only the answer to the completion was lost', async () => {
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
    ['the completion', { complete: 404 }],
  ])(
    'aborts an upload whose store refuses %s, and fails the job',
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

describe('refused signatures', () => {
  /** Starts a job whose store refuses the signature of the completion, and waits until the job wants URLs again. */
  async function refusedCompletion() {
    const jobId = await submit();
    const wanted = await untilWanted(jobId);
    const store = service.partStore(3);
    const path = `${new URL(store.target.abortUrl).pathname}/expired`;
    const completeUrl = service.media.on(`POST ${path}`, (request, response) => {
      const page = '<Error><Code>ExpiredToken</Code></Error>';
      request.resume().once('end', () => response.writeHead(403).end(page));
    });
    const refusals = () => service.media.count(`POST ${path}`);
    await give(jobId, { ...store.target, completeUrl });
    await expect.poll(refusals).toBe(1);
    expect(await untilWanted(jobId)).toEqual(wanted);
    return { jobId, store, completeUrl, refusals };
  }

  test('completes the same upload with new URLs', async () => {
    const { jobId, store } = await refusedCompletion();
    const { target } = store;
    await give(jobId, { ...target, completeUrl: `${target.completeUrl}&X-Amz-Signature=2` });
    expect((await untilEnded(jobId)).state).toBe('succeeded');
    for (const url of target.partUrls) expect(service.media.count(`PUT ${new URL(url).pathname}`)).toBe(1);
    expect(store.completions).toHaveLength(1);
    expect(store.aborts()).toBe(0);
  });

  test.each([
    ['the same URLs', ''],
    ['new URLs', '?X-Amz-Signature=2'],
  ])('fails if the store also refuses %s, and nothing was stored meanwhile', async (_what, signature) => {
    const { jobId, store, completeUrl, refusals } = await refusedCompletion();
    await give(jobId, { ...store.target, completeUrl: completeUrl + signature });
    const error = { code: 'upload_refused', details: { storeCode: 'ExpiredToken' } };
    expect(await untilEnded(jobId)).toMatchObject({ state: 'failed', error });
    expect(refusals()).toBe(2);
    expect(store.aborts()).toBe(1);
  });
});

describe('repeated upload URLs', () => {
  test('accepts the same upload URLs twice without any change', async () => {
    const jobId = await submit();
    await untilWanted(jobId);
    const store = service.partStore(3);
    const answers = await Promise.all([give(jobId, store.target), give(jobId, store.target)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect((await untilEnded(jobId)).state).toBe('succeeded');
    expect(store.completions).toHaveLength(1);
    expect(store.aborts()).toBe(0);
  });

  test('replaces unused URLs by later ones, and aborts the upload in parts that had begun', async () => {
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

  test('keeps stored parts if the URLs of the same upload are signed again', async () => {
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
