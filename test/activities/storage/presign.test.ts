import { afterEach, expect, test } from 'vitest';
import { type Presigned, type Presigner, s3Presigner } from '../../../activities/storage/presign.ts';
import type { S3Object } from '../../../contract/s3-url.ts';
import {
  answer,
  encodeResult,
  errorAnswer,
  ScriptedContainer,
  type Script,
} from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';

let container: ScriptedContainer | undefined;
afterEach(async () => {
  await container?.stop();
  container = undefined;
});

/** Signs with a counter, so that a fresh signature can be told from an old one. */
function countingPresigner(expiresAtMs = Date.now() + 3_600_000): Presigner {
  let signed = 0;
  const sign = async ({ bucket, key }: S3Object): Promise<Presigned> => {
    signed += 1;
    return { url: `https://s3.test/${bucket}/${key}?X-Amz-Signature=${signed}`, expiresAtMs };
  };
  return { get: sign, put: sign, delete: sign };
}

const step = {
  sourceUrl: 's3://media/in.wav',
  outputs: [{ format: 'mp3_128', uploadUrl: 's3://media/out.mp3' }],
};

async function postedUrls(script: Script, presigner: Presigner, attempts = 1, of = step) {
  container = await ScriptedContainer.start(script);
  const failures = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const run = new TestAttempt(container.url, { presigner }).encode(of);
    failures.push(
      await run.then(
        () => undefined,
        () => failureOf(run),
      ),
    );
  }
  const bodies = container.requestsTo('POST', '/encode').map((request) => request.body);
  return {
    failures,
    urls: bodies.map((body) => [body.sourceUrl, body.outputs[0].uploadUrl ?? body.outputs[0].deliver]),
  };
}

const ok = answer(200, encodeResult);
const expired = errorAnswer(422, 'upload_refused', { status: 403, reason: 'ExpiredToken' });

test('every attempt signs its source anew, and leaves its output to be signed when that is ready', async () => {
  const { urls } = await postedUrls(() => ok, countingPresigner(), 2);
  expect(urls).toEqual([
    ['https://s3.test/media/in.wav?X-Amz-Signature=1', 'on_demand'],
    ['https://s3.test/media/in.wav?X-Amz-Signature=3', 'on_demand'],
  ]);
});

test('URLs of the caller go through as they are', async () => {
  const given = { sourceUrl: 'https://m.test/a?sig=1', outputs: [{ format: 'flac', uploadUrl: 'file:///a.flac' }] };
  const { urls } = await postedUrls(() => ok, countingPresigner(), 1, given);
  expect(urls).toEqual([['https://m.test/a?sig=1', 'file:///a.flac']]);
});

test('a signature that the store calls expired is made anew at once, and once', async () => {
  const { urls, failures } = await postedUrls((_, index) => (index === 0 ? expired : ok), countingPresigner());
  expect(failures).toEqual([undefined]);
  expect(urls).toHaveLength(2);
  await container?.stop();
  const always = await postedUrls(() => expired, countingPresigner());
  expect(always.urls).toHaveLength(2);
  expect(always.failures[0]).toMatchObject({ type: 'UploadRefused' });
});

test('a signature that has run out by our own clock is made anew whatever the store says', async () => {
  const refused = errorAnswer(422, 'upload_refused', { status: 403 });
  const { urls } = await postedUrls((_, index) => (index === 0 ? refused : ok), countingPresigner(Date.now() - 1));
  expect(urls).toHaveLength(2);
});

test.each([
  ['a refusal for another reason', errorAnswer(422, 'upload_refused', { status: 403 }), step],
  [
    'an expired URL of the caller',
    expired,
    { ...step, sourceUrl: 'file:///a', outputs: [{ format: 'flac', uploadUrl: 'https://m.test/a' }] },
  ],
])('%s is final', async (_, reply, of) => {
  const { urls, failures } = await postedUrls(() => reply, countingPresigner(), 1, of);
  expect(urls).toHaveLength(1);
  expect(failures[0]).toMatchObject({ type: 'UploadRefused' });
});

test('an attempt whose URLs cannot be signed fails and says so', async () => {
  const presigner: Presigner = {
    get: async () => Promise.reject(new Error('Could not load credentials from any providers')),
    put: async () => Promise.reject(new Error('unused')),
    delete: async () => Promise.reject(new Error('unused')),
  };
  const { failures } = await postedUrls(() => ok, presigner);
  expect(failures[0]).toMatchObject({
    type: 'PresignFailed',
    message: 'Could not presign s3://media/…: Could not load credentials from any providers',
  });
});

test('the AWS SDK signs nothing that the container does not send', async () => {
  const before = { ...process.env };
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' });
  try {
    const settings = { expiresSeconds: 600, endpoint: 'http://minio:9000', region: 'us-east-1' };
    const { url, expiresAtMs } = await s3Presigner(settings).put({ bucket: 'media', key: 'a b/c.mp3' });
    const { origin, pathname, searchParams } = new URL(url);
    expect(origin + pathname).toBe('http://minio:9000/media/a%20b/c.mp3');
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    expect(searchParams.get('X-Amz-Expires')).toBe('600');
    expect([...searchParams.keys()].filter((name) => /checksum|sdk/i.test(name))).toEqual([]);
    expect(expiresAtMs - Date.now()).toBeLessThanOrEqual(600_000);
  } finally {
    process.env = before;
  }
});
