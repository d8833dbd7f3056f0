import { expect, test } from 'vitest';
import type { Stores } from '../../../stores/backends.ts';
import {
  accepted,
  answer,
  encodeResult,
  errorAnswer,
  failedView,
  ScriptedContainer,
  type Script,
} from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';
import { fakeStores } from '../../support/fake-stores.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

let container: ScriptedContainer | undefined;
/** Numbers the signatures to tell them apart. */
function countingStores(expiresAtMs = Date.now() + 3_600_000): Stores {
  let signed = 0;
  const sign = async (url: string) => {
    signed += 1;
    return { url: `https://s3.test/${url.slice(5)}?X-Amz-Signature=${signed}`, expiresAtMs };
  };
  return fakeStores({ sign });
}

const step = {
  sourceUrl: 's3://media/in.wav',
  outputs: [{ format: 'mp3_128', uploadUrl: 's3://media/out.mp3' }],
};

async function postedUrls(
  script: Script,
  stores: Stores,
  attempts = 1,
  of: Parameters<TestAttempt['encode']>[0] = step,
) {
  container = await stopAfterTest(ScriptedContainer.start(script));
  const failures = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const run = new TestAttempt(container.url, { stores }).encode(of);
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
const refusal = { status: 403, storeCode: 'ExpiredToken' };
const expired = errorAnswer(422, 'source_not_found', refusal);

test('signs the source at every attempt, and the output only when it is ready', async () => {
  const { urls } = await postedUrls(() => ok, countingStores(), 2);
  expect(urls).toEqual([
    ['https://s3.test/media/in.wav?X-Amz-Signature=1', 'on_demand'],
    ['https://s3.test/media/in.wav?X-Amz-Signature=3', 'on_demand'],
  ]);
});

test('passes URLs of the caller on unchanged', async () => {
  const given = { sourceUrl: 'https://m.test/a?sig=1', outputs: [{ format: 'mp3_128', uploadUrl: 'file:///a.mp3' }] };
  const { urls } = await postedUrls(() => ok, countingStores(), 1, given);
  expect(urls).toEqual([['https://m.test/a?sig=1', 'file:///a.mp3']]);
});

test('renews a signature once, at once, when the store calls it expired', async () => {
  const { urls, failures } = await postedUrls((_, index) => (index === 0 ? expired : ok), countingStores());
  expect(failures).toEqual([undefined]);
  expect(urls).toHaveLength(2);
  await container?.stop();
  const always = await postedUrls(() => expired, countingStores());
  expect(always.urls).toHaveLength(2);
  expect(always.failures[0]).toMatchObject({ type: 'ConnectionError' });
});

test('renews a signature that has expired by our own clock, whatever the store answers', async () => {
  const refused = errorAnswer(422, 'source_not_found', { status: 403 });
  const { urls } = await postedUrls((_, index) => (index === 0 ? refused : ok), countingStores(Date.now() - 1));
  expect(urls).toHaveLength(2);
});

test.each([
  ['a refusal for another reason', errorAnswer(422, 'source_not_found', { status: 403 }), step, 'SourceNotFound'],
  [
    'a refusal of a file whose name has the word expired',
    answer(422, { success: false, error: 'https://s3.test/expired.wav cannot be read.', code: 'source_not_found' }),
    step,
    'SourceNotFound',
  ],
  ['an expired source of the caller', expired, { ...step, sourceUrl: 'https://m.test/a' }, 'SourceNotFound'],
  [
    'an expired target of the caller beside a source of our own',
    errorAnswer(422, 'upload_refused', refusal),
    { ...step, outputs: [{ format: 'flac', uploadUrl: 'https://m.test/a' }] },
    'UploadRefused',
  ],
])('does not retry %s', async (_, reply, of, type) => {
  const { urls, failures } = await postedUrls(() => reply, countingStores(), 1, of);
  expect(urls).toHaveLength(1);
  expect(failures[0]).toMatchObject({ type });
});

const theirs = 'https://m.test/a';
const withCover = (url: string) => [{ format: 'mp3_128', uploadUrl: 's3://media/out.mp3', cover: { url } }];
const twoTargets = [...step.outputs, { format: 'flac', uploadUrl: theirs }];

test.each([
  ['our source beside a cover of the caller', 'source_not_found', {}, { outputs: withCover(theirs) }, 2],
  [
    'a cover of the caller beside our source',
    'source_not_found',
    { field: 'cover' },
    { outputs: withCover(theirs) },
    1,
  ],
  ['our cover', 'source_not_found', { field: 'cover' }, { outputs: withCover('s3://media/cover.png') }, 2],
  [
    'a source of the caller beside our cover',
    'source_not_found',
    {},
    { sourceUrl: theirs, outputs: withCover('s3://media/cover.png') },
    1,
  ],
  ['our target beside one of the caller', 'upload_refused', { output: 0 }, { outputs: twoTargets }, 2],
  ['a target of the caller beside ours', 'upload_refused', { output: 1 }, { outputs: twoTargets }, 1],
] as const)(
  'requests as often as it can help if the signature of %s expires',
  async (_, code, details, of, requests) => {
    const script: Script = ({ method, path }) => {
      if (method === 'POST') return accepted;
      if (path.endsWith('/events')) return errorAnswer(404, 'not_found');
      return answer(200, failedView(code, { ...refusal, ...details }));
    };
    const { urls } = await postedUrls(script, countingStores(), 1, { ...step, ...of });
    expect(urls).toHaveLength(requests);
  },
);

test.each([
  ['Segment 2 could not be fetched.', 2],
  ['The sound of the segments could not be fetched.', 2],
  ['The source https://m.test/a cannot be read.', 1],
])('an older container says only “%s” of an expired signature: %d requests', async (error, requests) => {
  const segment = { url: 's3://parts/1.mp4', sha256: 'a'.repeat(64) };
  const identity = { size: 1, sha256: 'b'.repeat(64) };
  const part = { kind: 'join' as const, source: identity, segments: [[segment]], crfs: [] };
  const reply = answer(422, { success: false, error, code: 'source_not_found', details: refusal });
  const { urls } = await postedUrls(() => reply, countingStores(), 1, { ...step, sourceUrl: theirs, part });
  expect(urls).toHaveLength(requests);
});

test('fails with PresignFailed when a URL cannot be signed', async () => {
  const sign = async () => Promise.reject(new Error('Could not load credentials from any providers'));
  const { failures } = await postedUrls(() => ok, fakeStores({ sign }));
  expect(failures[0]).toMatchObject({
    type: 'PresignFailed',
    message: 'Could not presign s3://media/…: Could not load credentials from any providers',
  });
});
