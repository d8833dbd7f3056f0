import { afterEach, expect, test, vi } from 'vitest';
import {
  accepted,
  answer,
  drop,
  encodedOutput,
  encodeResult,
  errorAnswer,
  failedView,
  jobView,
  ScriptedContainer,
  type ScriptedReply,
  source,
  succeededView,
} from '../../fixtures/scripted-container.ts';
import { type AttemptSetup, failureOf, TestAttempt } from '../../support/attempt.ts';
import type { SignedRequest } from '../../../stores/store.ts';
import { CredentialsUnavailable, StorageError } from '../../../stores/store-error.ts';
import { fakeStores } from '../../support/fake-stores.ts';

let container: ScriptedContainer | undefined;
afterEach(async () => {
  files = [wanted];
  await container?.stop();
  container = undefined;
});

const result = { outputs: [encodedOutput], source };
const wanted = { output: 0, name: '', size: 1000, contentType: 'audio/mpeg', md5: '1B2M2Y8AsgTpgAmY7PhCfg==' };
let files = [wanted];
const wanting = () => jobView(9, { phase: 'deliver', wanted: files });
const given = { success: true, jobId: 'job-1', state: 'running' };
/** Every file goes in parts. */
const partSizes = { largestSinglePutBytes: 0, usualPartBytes: 500 };
/** Signs as the fake store does, unless `fails` throws at a PUT. */
const signUnless = (fails: () => void) => async (url: string, request: SignedRequest) => {
  if (request.kind === 'put') fails();
  return { url: `https://s3.test/${url.slice(5)}?X-Amz-${request.kind}`, expiresAtMs: Infinity };
};
const input = { sourceUrl: 'file:///in.wav', outputs: [{ format: 'mp3_128', uploadUrl: 's3://media/out.mp3' }] };

/** A job that wants its files until `calls` replies are 202. The replies follow in order; the last one repeats. */
async function startWanting(replies: ScriptedReply[], calls = 1) {
  let given = 0;
  let isEnded = false;
  container = await ScriptedContainer.start(({ method, path }, index) => {
    if (path.endsWith('/upload-urls')) {
      const reply = replies[Math.min(index, replies.length - 1)] ?? drop;
      if (reply.kind === 'answer' && reply.status === 202) given += 1;
      return reply;
    }
    if (method === 'POST') return accepted;
    if (method === 'DELETE') {
      isEnded = true;
      return answer(200, wanting());
    }
    if (path.endsWith('/events')) return errorAnswer(404, 'not_found');
    if (isEnded) return answer(200, failedView('cancelled'));
    return answer(200, given >= calls ? succeededView : wanting());
  });
  return container;
}

const bodies = (of: ScriptedContainer) => of.requestsTo('POST', '/jobs/job-1/upload-urls').map(({ body }) => body);

test('presigns an s3: target only when its file is wanted', async () => {
  const at = await startWanting([answer(202, given)]);
  expect(await new TestAttempt(at.url).encode(input)).toEqual(result);
  expect(at.requestsTo('POST', '/encode')[0]?.body.outputs).toEqual([{ format: 'mp3_128', deliver: 'on_demand' }]);
  const [url, deleteUrl] = ['put', 'delete'].map((method) => `https://s3.test/media/out.mp3?X-Amz-${method}`);
  expect(bodies(at)).toEqual([{ urls: [{ output: 0, name: '', url, deleteUrl }] }]);
});

test.each([
  ['s3://media/film/', (name: string) => ({ url: `https://s3.test/media/film/${name}?X-Amz-put` })],
  ['file:///media/film/', (name: string) => ({ url: `file:///media/film/${name}` })],
])('places the files of an output under %s by name', async (uploadUrlPrefix, urlOf) => {
  const names = ['v360/1.m4s', 'master.m3u8'];
  files = names.map((name) => ({ ...wanted, name }));
  const at = await startWanting([answer(202, given)]);
  const outputs = [{ format: 'mp3_128', uploadUrlPrefix }];
  expect(await new TestAttempt(at.url).encode({ ...input, outputs })).toEqual(result);
  expect(at.requestsTo('POST', '/encode')[0]?.body.outputs).toEqual([{ format: 'mp3_128', deliver: 'on_demand' }]);
  expect(bodies(at)).toMatchObject([{ urls: names.map((name) => ({ output: 0, name, ...urlOf(name) })) }]);
});

test.each([
  [{ uploadUrl: 's3://media/out.mp3' }, 'master.m3u8', 'several files, but the input has uploadUrl'],
  [{ uploadUrlPrefix: 's3://media/film/' }, '', 'one file, but the input has uploadUrlPrefix'],
])(
  'ends a job whose files do not fit the target %j, and fails the run with the reason',
  async (place, name, sentence) => {
    files = [{ ...wanted, name }];
    const at = await startWanting([answer(202, given)]);
    const failed = new TestAttempt(at.url).encode({ ...input, outputs: [{ format: 'mp3_128', ...place }] });
    await expect(failed).rejects.toThrow(sentence);
    expect(at.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
    expect(bodies(at)).toEqual([]);
  },
);

test('tolerates one refusal before each call that is accepted', async () => {
  const refused = errorAnswer(400, 'invalid_request');
  const at = await startWanting([refused, answer(202, given), refused, answer(202, given)], 2);
  expect(await new TestAttempt(at.url).encode(input)).toEqual(result);
  expect(bodies(at)).toHaveLength(4);
});

test('sends the URLs again after the container could not reach their disk', async () => {
  const unreached = errorAnswer(502, 'upload_failed');
  const at = await startWanting([unreached, unreached, answer(202, given)]);
  expect(await new TestAttempt(at.url).encode(input)).toEqual(result);
  expect(bodies(at)).toHaveLength(3);
  expect(at.requestsTo('DELETE', '/jobs/job-1')).toEqual([]);
});

test('ends a job whose disk stays unreachable, with the fault of the disk', async () => {
  const at = await startWanting([errorAnswer(502, 'upload_failed')]);
  const realMs = performance.now.bind(performance);
  let aheadMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => realMs() + (aheadMs += 2_000));
  const failure = await failureOf(new TestAttempt(at.url).encode(input));
  vi.mocked(performance.now).mockRestore();
  expect(failure).toMatchObject({ facts: { code: 'upload_failed' } });
  expect(bodies(at).length).toBeGreaterThan(1);
  expect(at.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

test('sends the URLs wanted by an event without polling the job', async () => {
  let asked = 0;
  container = await ScriptedContainer.start(({ method, path }) => {
    if (path.endsWith('/upload-urls')) return answer(202, given);
    if (method === 'POST') return accepted;
    if (path.endsWith('/events')) {
      const items = asked === 1 ? [jobView(8), wanting(), 'hang' as const] : [succeededView];
      return { kind: 'events', items };
    }
    asked += 1;
    return answer(200, asked === 1 ? jobView(7) : wanting());
  });
  expect(await new TestAttempt(container.url).encode(input)).toEqual(result);
  expect(bodies(container)).toHaveLength(1);
  expect(asked).toBe(2);
});

test('sends the URLs of many parts in as many requests as the container reads', async () => {
  files = ['one.mp4', 'two.mp4'].map((name) => ({ ...wanted, name, size: 500 * 1024 ** 3 }));
  const at = await startWanting([answer(202, given)]);
  const sign = async (url: string, request: SignedRequest) => ({
    url: `https://gs.test/${url.slice(5)}?X-Amz-${request.kind}=${'s'.repeat(2_000)}`,
    expiresAtMs: Infinity,
  });
  const stores = fakeStores({ sign, beginUpload: async () => 'upload-1' });
  const outputs = [{ format: 'mp3_128', uploadUrlPrefix: 's3://media/film/' }];
  expect(await new TestAttempt(at.url, { stores }).encode({ ...input, outputs })).toEqual(result);
  expect(bodies(at).map(({ urls }) => urls.map(({ name }: { name: string }) => name))).toEqual([
    ['one.mp4'],
    ['two.mp4'],
  ]);
  for (const body of bodies(at)) {
    expect(body.urls[0].partUrls.length * body.urls[0].partSize).toBeGreaterThanOrEqual(500 * 1024 ** 3);
    expect(JSON.stringify(body).length).toBeLessThan(16 * 1024 ** 2);
  }
});

test.each([
  ['whose response is lost', drop],
  ['for a file that was already answered', errorAnswer(400, 'invalid_request')],
])('sends URLs %s again', async (_what, reply) => {
  const at = await startWanting([reply, answer(202, given)]);
  expect(await new TestAttempt(at.url).encode(input)).toEqual(result);
  expect(bodies(at)).toHaveLength(2);
});

test('URLs that the container rejects fail the attempt and end the job', async () => {
  const at = await startWanting([errorAnswer(403, 'upload_forbidden')]);
  expect(await failureOf(new TestAttempt(at.url).encode(input))).toMatchObject({
    type: 'UploadForbidden',
    facts: { state: {} },
  });
  expect(at.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

test('retries briefly missing credentials when the file is ready, while the job continues', async () => {
  const at = await startWanting([answer(202, given)]);
  let signed = 0;
  const sign = signUnless(() => {
    signed += 1;
    // The first signature precedes the encode.
    if (signed === 2 || signed === 3) throw new CredentialsUnavailable(new Error('the metadata service is away'));
  });
  expect(await new TestAttempt(at.url, { stores: fakeStores({ sign }) }).encode(input)).toEqual(result);
  expect(at.requestsTo('POST', '/encode')).toHaveLength(1);
  expect(at.requestsTo('DELETE', '/jobs/job-1')).toEqual([]);
});

test('gives the first URLs while a slow store still signs the others', async () => {
  const names = ['1.m4s', '2.m4s', '3.m4s'];
  files = names.map((name) => ({ ...wanted, name }));
  const at = await startWanting([answer(202, given)]);
  let lateMs = 0;
  const start = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => start + lateMs);
  const sign = signUnless(() => (lateMs += 6_000));
  const outputs = [{ format: 'mp3_128', uploadUrlPrefix: 's3://media/film/' }];
  try {
    await new TestAttempt(at.url, { stores: fakeStores({ sign }) }).encode({ ...input, outputs });
  } finally {
    clock.mockRestore();
  }
  expect(bodies(at).map(({ urls }) => (urls as { name: string }[]).map(({ name }) => name))).toEqual([
    ['1.m4s'],
    ['2.m4s', '3.m4s'],
  ]);
});

test('retries a store that cannot start a multipart upload for the moment', async () => {
  const at = await startWanting([answer(202, given)]);
  let begun = 0;
  const beginUpload = async () => {
    begun += 1;
    if (begun > 1) return 'upload-1';
    throw new StorageError('who are you?', true);
  };
  const stores = fakeStores({ beginUpload });
  expect(await new TestAttempt(at.url, { stores, partSizes }).encode(input)).toEqual(result);
  expect(begun).toBe(2);
});

test('signs the parts of the same upload again if the job asks for its file again', async () => {
  files = [{ ...wanted, size: 1_500_000 }];
  const at = await startWanting([answer(202, given)], 2);
  let [begun, signed] = [0, 0];
  const beginUpload = async () => `upload-${(begun += 1)}`;
  const sign = async (url: string, request: SignedRequest) => {
    const uploadId = 'uploadId' in request ? request.uploadId : '';
    signed += 1;
    return { url: `https://s3.test/${url.slice(5)}?${uploadId}&X-Amz-Signature=${signed}`, expiresAtMs: Infinity };
  };
  const stores = fakeStores({ beginUpload, sign });
  expect(await new TestAttempt(at.url, { stores, partSizes }).encode(input)).toEqual(result);
  expect(begun).toBe(1);
  const [first, again] = bodies(at).map(({ urls }) => urls[0]);
  expect(again).not.toEqual(first);
  const partUrls = [0, 1].map(() => expect.stringContaining('/media/out.mp3?upload-1&') as string);
  expect([first, again]).toMatchObject([0, 1].map(() => ({ partSize: 1_048_576, partUrls })));
});

test('a worker that was frozen while another took over its job starts no upload, and leaves the job alone', async () => {
  const at = await startWanting([answer(202, given)]);
  const begun: string[] = [];
  const beginUpload = async (url: string) => `upload-${begun.push(url)}`;
  const setup = { stores: fakeStores({ beginUpload }), partSizes, isTakenOver: true };
  const location = { containerUrl: at.url, jobId: 'job-1' };
  const targets = ['s3://media/out.mp3'];
  await expect(new TestAttempt(at.url, setup).follow(location, targets)).rejects.toMatchObject({ type: 'TakenOver' });
  expect(begun).toEqual([]);
  expect(bodies(at)).toEqual([]);
  expect(at.requestsTo('DELETE', '/jobs/job-1')).toEqual([]);
});

test('a worker that was frozen after it had started an upload does not replace the upload of the next one', async () => {
  const at = await startWanting([answer(202, given)]);
  const setup: AttemptSetup = { partSizes };
  const beginUpload = async () => {
    setup.isTakenOver = true;
    return 'upload-1';
  };
  setup.stores = fakeStores({ beginUpload });
  const location = { containerUrl: at.url, jobId: 'job-1' };
  const targets = ['s3://media/out.mp3'];
  await expect(new TestAttempt(at.url, setup).follow(location, targets)).rejects.toMatchObject({ type: 'TakenOver' });
  expect(bodies(at)).toEqual([]);
  expect(at.requestsTo('DELETE', '/jobs/job-1')).toEqual([]);
});

test('a worker that learns from an upload that its run has ended ends the job, and aborts the upload', async () => {
  const at = await startWanting([answer(202, given)]);
  const location = { containerUrl: at.url, jobId: 'job-1' };
  const setup: AttemptSetup = { partSizes, context: { state: { location } } };
  const aborted: string[] = [];
  setup.stores = fakeStores({
    beginUpload: async () => {
      Object.assign(setup, { isTakenOver: true, workflowStatus: 'TERMINATED' });
      return 'upload-1';
    },
    abortUpload: async (_, uploadId) => void aborted.push(uploadId),
  });
  await expect(new TestAttempt(at.url, setup).follow(location, ['s3://media/out.mp3'])).rejects.toMatchObject({
    type: 'TakenOver',
  });
  expect(at.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
  expect(aborted).toEqual(['upload-1']);
});

test('a store with an expired certificate is not retried, and the job is ended', async () => {
  const at = await startWanting([]);
  const beginUpload = async () => {
    throw new StorageError('certificate has expired', false, { cause: new Error('certificate has expired') });
  };
  const stores = fakeStores({ beginUpload });
  const failure = await failureOf(new TestAttempt(at.url, { stores, partSizes }).encode(input));
  expect(failure).toMatchObject({ type: 'UploadRefused', message: expect.stringContaining('expired') as string });
  expect(at.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

test('any other presigning error fails the attempt and ends the job', async () => {
  const at = await startWanting([]);
  let signed = 0;
  const sign = signUnless(() => {
    signed += 1;
    if (signed > 1) throw new Error('Token is expired');
  });
  const failure = await failureOf(new TestAttempt(at.url, { stores: fakeStores({ sign }) }).encode(input));
  expect(failure).toMatchObject({ type: 'PresignFailed' });
  expect(at.requestsTo('DELETE', '/jobs/job-1')).toHaveLength(1);
});

test('detects missing credentials before the encode', async () => {
  const at = await startWanting([]);
  const sign = async () => Promise.reject(new Error('Could not load credentials'));
  const failure = await failureOf(new TestAttempt(at.url, { stores: fakeStores({ sign }) }).encode(input));
  expect(failure).toMatchObject({ type: 'PresignFailed' });
  expect(at.requests).toEqual([]);
});

test.each([
  ['https://s3.test/media/out.mp3?X-Amz-get', { uploadUrl: 's3://media/out.mp3' }],
  ['https://s3.test/media/film/master.m3u8', { uploadUrlPrefix: 's3://media/film/' }],
])('refuses the source %s for an output at %j before any job is started', async (sourceUrl, place) => {
  const at = await startWanting([]);
  const outputs = [{ format: 'mp3_128', ...place }];
  const failure = await failureOf(new TestAttempt(at.url).encode({ sourceUrl, outputs }));
  expect(failure).toMatchObject({ type: 'InvalidRequest', message: expect.stringContaining('sourceUrl names') });
  expect(at.requests).toEqual([]);
});

test('passes file: targets and the caller’s URLs on unchanged', async () => {
  // Sets of files are delivered on demand; an output of one file has its URL in the request.
  const at = await startWanting([answer(202, given)]);
  const outputs = [{ format: 'mp3_128', uploadUrl: 'file:///media/out.mp3' }];
  await new TestAttempt(at.url).encode({ ...input, outputs });
  expect(at.requestsTo('POST', '/encode')[0]?.body.outputs).toEqual(outputs);
  expect(bodies(at)).toEqual([{ urls: [{ output: 0, name: '', url: 'file:///media/out.mp3' }] }]);
  expect(encodeResult.outputs).toHaveLength(1);
});
