import { mkdir, readdir, copyFile, rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ErrorBody } from '../../../contract/http/error.ts';
import { HealthBody, JobView } from '../../../contract/http/job.ts';
import { MetadataResult } from '../../../contract/http/metadata.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TestContainer, type Answer } from '../../support/container.ts';
import { ffmpegProcessesUnder } from '../../support/ffmpeg-processes.ts';
import { musicOgg, speechWav } from '../../support/media.ts';
import { startNode, type Environment } from '../../support/process.ts';
import { makeMedia } from '../operations/media-files.ts';

const hangingFfmpeg = fileURLToPath(new URL('../../fixtures/ffmpeg/hangs', import.meta.url));

let container: TestContainer;
let media: MediaServer;
/** A source that never comes: its job runs until somebody ends it. */
let never: string;

beforeAll(async () => {
  media = await MediaServer.start();
  never = media.on('GET /never', () => {});
  container = await TestContainer.start();
  await copyFile(speechWav, join(container.mediaRoot, 'speech.wav'));
});

afterAll(async () => {
  await container.stop();
  await media.stop();
});

/** A test that fails must not leave the slot to the next one. */
afterEach(async () => {
  for (const jobId of (await container.health()).jobs) await container.call('DELETE', `/jobs/${jobId}`);
});

const out = (name: string, from = container) => from.fileUrl(`out/${name}`);
const encodeOf = (sourceUrl: string, name: string, from = container) => ({
  sourceUrl,
  outputs: [{ format: 'mp3_64', uploadUrl: out(name, from) }],
});
const speech = () => container.fileUrl('speech.wav');
const post = (path: string, body: unknown, headers: Environment = {}) => container.call('POST', path, body, headers);

async function activeJob(from = container): Promise<string> {
  return await from.process.until('active job', async () => (await from.health()).jobs[0]);
}

/** A held request that the client can drop. */
function heldRequest(body: unknown, headers: Environment = {}) {
  const abort = new AbortController();
  const answer = request(`${container.url}/encode`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: abort.signal,
  }).then(
    async (response) => ({ status: response.statusCode, body: await response.body.json() }),
    () => 'dropped' as const,
  );
  return { answer, drop: () => abort.abort() };
}

describe('requests that are not valid: 400 with the issues', () => {
  const output = () => ({ format: 'mp3_64', uploadUrl: out('invalid') });
  const chunk = (index: number) => ({ index, uploadUrl: out('invalid') });

  test.each([
    ['no source', '/encode', () => ({ outputs: [output()] }), ['sourceUrl']],
    ['a source that is no text', '/encode', () => ({ sourceUrl: 5, outputs: [output()] }), ['sourceUrl']],
    ['no URL', '/encode', () => ({ sourceUrl: 'speech.wav', outputs: [output()] }), ['sourceUrl']],
    ['an ftp URL', '/encode', () => ({ sourceUrl: 'ftp://a/b', outputs: [output()] }), ['sourceUrl']],
    ['an s3 URL', '/encode', () => ({ sourceUrl: 's3://a/b', outputs: [output()] }), ['sourceUrl']],
    ['a data URL', '/encode', () => ({ sourceUrl: 'data:,x', outputs: [output()] }), ['sourceUrl']],
    [
      'a very long URL',
      '/encode',
      () => ({ sourceUrl: `http://a/${'x'.repeat(9000)}`, outputs: [output()] }),
      ['sourceUrl'],
    ],
    ['no outputs', '/encode', () => ({ sourceUrl: speech() }), ['outputs']],
    ['empty outputs', '/encode', () => ({ sourceUrl: speech(), outputs: [] }), ['outputs']],
    [
      'nine outputs',
      '/encode',
      () => ({ sourceUrl: speech(), outputs: Array.from({ length: 9 }, output) }),
      ['outputs'],
    ],
    ['an unknown field', '/encode', () => ({ sourceUrl: speech(), outputs: [output()], speed: 2 }), []],
    [
      'an unknown field within',
      '/encode',
      () => ({ sourceUrl: speech(), outputs: [{ ...output(), bitrate: 64 }] }),
      ['outputs', 0],
    ],
    [
      'an option as format',
      '/encode',
      () => ({ sourceUrl: speech(), outputs: [{ ...output(), format: '-f' }] }),
      ['outputs', 0, 'format'],
    ],
    [
      'a format in capitals',
      '/encode',
      () => ({ sourceUrl: speech(), outputs: [{ ...output(), format: 'MP3_64' }] }),
      ['outputs', 0, 'format'],
    ],
    [
      'half a channel',
      '/encode',
      () => ({ sourceUrl: speech(), outputs: [{ ...output(), channels: 1.5 }] }),
      ['outputs', 0, 'channels'],
    ],
    [
      'no channels',
      '/encode',
      () => ({ sourceUrl: speech(), outputs: [{ ...output(), channels: 0 }] }),
      ['outputs', 0, 'channels'],
    ],
    [
      'a rate as text',
      '/encode',
      () => ({ sourceUrl: speech(), outputs: [{ ...output(), sampleRate: '44100' }] }),
      ['outputs', 0, 'sampleRate'],
    ],
    [
      'a hash that is none',
      '/encode',
      () => ({ sourceUrl: speech(), sourceSha256: 'abc', outputs: [output()] }),
      ['sourceSha256'],
    ],
    ['a list', '/encode', () => [], []],
    ['no chunks', '/chunk', () => ({ sourceUrl: speech(), chunks: [] }), ['chunks']],
    [
      'as much overlap as chunk',
      '/chunk',
      () => ({ sourceUrl: speech(), chunkDuration: 5, overlapDuration: 5, chunks: [chunk(0)] }),
      ['overlapDuration'],
    ],
    [
      'more overlap than the chunk',
      '/chunk',
      () => ({ sourceUrl: speech(), chunkDuration: 1, chunks: [chunk(0)] }),
      ['overlapDuration'],
    ],
    [
      'negative overlap',
      '/chunk',
      () => ({ sourceUrl: speech(), overlapDuration: -1, chunks: [chunk(0)] }),
      ['overlapDuration'],
    ],
    [
      'a chunk of nothing',
      '/chunk',
      () => ({ sourceUrl: speech(), chunkDuration: 0, overlapDuration: 0, chunks: [chunk(0)] }),
      ['chunkDuration'],
    ],
    ['indexes out of order', '/chunk', () => ({ sourceUrl: speech(), chunks: [chunk(1), chunk(0)] }), ['chunks']],
    ['a gap in the indexes', '/chunk', () => ({ sourceUrl: speech(), chunks: [chunk(0), chunk(2)] }), ['chunks']],
    ['an index twice', '/chunk', () => ({ sourceUrl: speech(), chunks: [chunk(0), chunk(0)] }), ['chunks']],
    ['metadata of nothing', '/metadata', () => ({}), ['sourceUrl']],
  ])('%s', async (_what, path, body, issuePath) => {
    const answer = await post(path, body());
    expect(answer.status).toBe(400);
    expect(ErrorBody.parse(answer.body).code).toBe('invalid_request');
    expect(answer.body.details.issues.map((issue: { path: unknown }) => issue.path)).toContainEqual(issuePath);
    expect(await container.health()).toMatchObject({ activeJobs: 0 });
  });

  test.each([
    ['half a JSON', '{"sourceUrl":', 400, 'invalid_request', {}],
    ['a lone string', '"x"', 400, 'invalid_request', {}],
    ['nothing at all', '', 400, 'invalid_request', {}],
    ['text', 'x', 415, 'unsupported_media_type', { 'content-type': 'text/plain' }],
    ['a form', 'a=b', 415, 'unsupported_media_type', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', '{}', 415, 'unsupported_media_type', { 'content-type': 'application/json; charset=koi9' }],
    ['no gzip under gzip', 'x', 400, 'invalid_request', { 'content-encoding': 'gzip' }],
    ['five megabytes', JSON.stringify('x'.repeat(5e6)), 413, 'request_too_large', {}],
  ])('%s', async (_what, body, status, code, headers) => {
    const answer = await post('/encode', body, headers);
    expect(answer).toMatchObject({ status, body: { success: false, code } });
  });
});

test.each([
  ['GET', '/nothing'],
  ['POST', '/nothing'],
  ['GET', '/encode'],
  ['DELETE', '/health'],
] as const)('%s %s is a JSON 404 that lists the endpoints', async (method, path) => {
  const answer = await container.call(method, path, method === 'POST' ? '{' : undefined);
  expect(answer).toMatchObject({ status: 404, body: { success: false, code: 'not_found' } });
  expect(answer.body.details.endpoints).toEqual(expect.arrayContaining(['GET /', 'POST /encode', 'DELETE /jobs/:id']));
});

test('a path that is no URL is 400', async () => {
  expect(await container.call('GET', '/jobs/%')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
});

describe('CONTAINER_TOKEN', () => {
  let guarded: TestContainer;

  beforeAll(async () => {
    guarded = await TestContainer.start({ CONTAINER_TOKEN: 'a-token' });
  });

  afterAll(() => guarded.stop());

  test.each(['/health', '/ready', '/'])('GET %s stays open', async (path) => {
    expect((await guarded.call('GET', path)).status).toBe(200);
  });

  test.each([
    ['GET', '/jobs', {}],
    ['POST', '/encode', {}],
    ['POST', '/chunk', { authorization: 'Bearer another' }],
    ['POST', '/metadata', { authorization: 'Bearer a-token-and-more' }],
    ['DELETE', '/jobs/x', { authorization: 'a-token' }],
    ['GET', '/nothing', { authorization: 'Basic a-token' }],
  ] as const)('%s %s asks for it: %o', async (method, path, headers) => {
    const answer = await guarded.call(method, path, method === 'POST' ? {} : undefined, headers);
    expect(answer).toMatchObject({ status: 401, body: { success: false, code: 'unauthorized' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(guarded.process.output).not.toContain('a-token');
  });

  test('with it everything goes', async () => {
    expect((await guarded.call('GET', '/jobs', undefined, { authorization: 'bearer a-token' })).status).toBe(200);
    expect((await guarded.call('POST', '/encode', {}, { authorization: 'Bearer a-token' })).status).toBe(400);
  });
});

describe('looking', () => {
  test('GET / tells name, version, endpoints and slot', async () => {
    const answer = await container.call('GET', '/');
    expect(answer.body).toMatchObject({
      name: 'holdfast',
      version: expect.any(String),
      slot: { limit: 1, active: 0, remaining: 1 },
    });
    expect(answer.body.endpoints).toContain('POST /encode');
    expect(answer.headers).not.toHaveProperty('x-powered-by');
  });

  test('GET /health while a job runs', async () => {
    const jobId = await container.submit('/encode', encodeOf(never, 'health'));
    const body = HealthBody.parse((await container.call('GET', '/health')).body);
    expect(body).toMatchObject({ activeJobs: 1, jobs: [jobId] });
    expect(body.instanceId).toBe((await container.health()).instanceId);
  });

  test('GET /jobs: oldest first, each as the contract says', async () => {
    const ids = [];
    for (const source of [speech(), container.fileUrl('missing')]) {
      const jobId = await container.submit('/encode', encodeOf(source, 'jobs'));
      await container.ended(jobId);
      ids.push(jobId);
    }
    const running = await container.submit('/encode', encodeOf(never, 'jobs'));
    const { jobs } = (await container.call('GET', '/jobs')).body as { jobs: unknown[] };
    const views = jobs.map((job) => JobView.parse(job));
    expect(views.slice(-3).map(({ jobId, state }) => [jobId, state])).toEqual([
      [ids[0], 'succeeded'],
      [ids[1], 'failed'],
      [running, 'running'],
    ]);
    const starts = views.map(({ startedAt }) => Date.parse(startedAt));
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  test('GET, DELETE and events of an unknown job are 404', async () => {
    for (const [method, path] of [
      ['GET', '/jobs/none'],
      ['GET', '/jobs/none/events'],
      ['DELETE', '/jobs/none'],
    ] as const) {
      expect(await container.call(method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  test('DELETE of a job that has ended changes nothing', async () => {
    const done = await post('/encode', encodeOf(speech(), 'ended'));
    const answer = await container.call('DELETE', `/jobs/${done.body.jobId}`);
    expect(answer).toMatchObject({ status: 200, body: { state: 'succeeded', result: done.body } });
  });
});

describe('POST /metadata', () => {
  test('of sound', async () => {
    const answer = await post('/metadata', { sourceUrl: speech() });
    expect(MetadataResult.parse(answer.body)).toMatchObject({
      duration: expect.closeTo(15.2, 0),
      format: 'wav',
      streams: [{ index: 0, type: 'audio', codec: 'pcm_s16le', channels: 1, sampleRate: 8000, bitrate: 128 }],
    });
  });

  test('of a video with subtitles, tags and chapters', async () => {
    const { writeFile } = await import('node:fs/promises');
    const [subtitles, chapters] = [join(container.mediaRoot, 's.srt'), join(container.mediaRoot, 'c.txt')];
    await writeFile(subtitles, '1\n00:00:00,500 --> 00:00:01,000\nHello\n');
    await writeFile(chapters, ';FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n');
    await makeMedia(
      container.mediaRoot,
      'film.mkv',
      ...['-f', 'lavfi', '-i', 'testsrc=s=160x120:r=30000/1001:d=2', '-i', musicOgg, '-i', subtitles, '-i', chapters],
      ...['-map', '0', '-map', '1', '-map', '2', '-map_metadata', '3', '-t', '2', '-c:v', 'libx264', '-c:a', 'aac'],
    );
    const answer = await post('/metadata', { sourceUrl: container.fileUrl('film.mkv') });
    expect(answer.status).toBe(200);
    const result = MetadataResult.parse(answer.body);
    expect(result.streams.map(({ type, codec }) => [type, codec])).toEqual([
      ['video', 'h264'],
      ['audio', 'aac'],
      ['subtitle', 'ass'],
    ]);
    expect(result.streams[0]).toMatchObject({ width: 160, height: 120, fps: 29.97 });
    expect(result.chapters).toEqual([{ start: 0, end: 1, title: 'One' }]);
    expect(result.tags).toMatchObject({ title: 'A film' });
    expect(result.duration).toBeCloseTo(2, 0);
  });

  test('of what is no media, of what is not there and of what is forbidden', async () => {
    const page = media.on('GET /page', (_request, response) => void response.end('<html></html>'.repeat(100)));
    for (const [sourceUrl, status, code] of [
      [page, 422, 'undecodable_source'],
      [`${media.url}/missing`, 404, 'source_not_found'],
      ['http://10.0.0.1/x', 403, 'source_forbidden'],
      ['file:///etc/passwd', 403, 'source_forbidden'],
    ]) {
      expect(await post('/metadata', { sourceUrl })).toMatchObject({ status, body: { success: false, code } });
    }
    expect(await container.jobFolders()).toEqual([]);
  });
});

describe('Prefer: respond-async', () => {
  test('202 with the place of the job and what was applied', async () => {
    const answer = await post('/encode', encodeOf(never, 'async'), { prefer: 'wait=5, respond-async' });
    const { jobId } = answer.body;
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/jobs/${jobId}`, 'preference-applied': 'respond-async', 'x-ratelimit-remaining': '0' },
      body: { success: true, jobId: expect.any(String), state: 'running' },
    });
    expect((await container.job(jobId)).state).toBe('running');
  });

  test('what is wrong at once is still told at once', async () => {
    const wrong = { sourceUrl: never, outputs: [{ format: 'aac', uploadUrl: out('x') }] };
    expect(await post('/encode', wrong, { prefer: 'respond-async' })).toMatchObject({
      status: 422,
      body: { code: 'unsupported_format' },
    });
    expect((await container.health()).activeJobs).toBe(0);
  });
});

/** Everything that an event stream says until it is closed. */
async function eventsOf(jobId: string): Promise<JobView[]> {
  const response = await request(`${container.url}/jobs/${jobId}/events`);
  expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
  return (await response.body.text())
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => JobView.parse(JSON.parse(block.slice('data: '.length))));
}

describe('GET /jobs/:id/events', () => {
  test('begins with what is, tells each advance and ends behind the last state', async () => {
    const jobId = await container.submit('/encode', encodeOf(speech(), 'events'));
    const events = await eventsOf(jobId);
    expect(events.length).toBeGreaterThanOrEqual(2);
    expect(events.at(-1)).toMatchObject({ jobId, state: 'succeeded', percent: 100 });
    expect(events.slice(0, -1).every(({ state }) => state === 'running')).toBe(true);
    const percents = events.map(({ percent }) => percent);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    const advances = events.map((event) => event.advances);
    expect(advances).toEqual(advances.toSorted((a, b) => a - b));
  });

  test('of a job that has ended: that, and the end', async () => {
    const { jobId } = (await post('/encode', encodeOf(speech(), 'events-2'))).body;
    expect(await eventsOf(jobId)).toMatchObject([{ jobId, state: 'succeeded' }]);
  });

  test('a reader that leaves does not disturb the job', async () => {
    const jobId = await container.submit('/encode', encodeOf(never, 'events-3'));
    const response = await request(`${container.url}/jobs/${jobId}/events`);
    response.body.on('error', () => {}).destroy();
    const reading = eventsOf(jobId);
    await container.call('DELETE', `/jobs/${jobId}`);
    expect((await reading).at(-1)).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } });
  });
});

describe('Idempotency-Key', () => {
  const headers = (key: string) => ({ 'idempotency-key': key });

  test('joins while active, held or not, without a 429; and each gets the result', async () => {
    let release = (): void => {};
    const slow = media.on('GET /slow', (_request, response) => {
      release = () => {
        media.serve('/slow', speechWav);
        response.destroy();
      };
    });
    // The first source breaks off, so this job fails; that is a result, too.
    const body = encodeOf(slow, 'join');
    const held = post('/encode', body, headers('join'));
    const jobId = await activeJob();
    const joined = post('/encode', body, headers('join'));
    const async = await post('/encode', body, { ...headers('join'), prefer: 'respond-async' });
    expect(async).toMatchObject({ status: 202, body: { jobId } });
    expect((await post('/encode', body)).status).toBe(429);
    expect((await post('/encode', body, headers('another'))).status).toBe(429);
    await container.process.until('request for the source', () => media.count('GET /slow') === 1);
    release();
    for (const answer of [await held, await joined]) {
      expect(answer).toMatchObject({ status: 502, body: { code: 'source_unavailable', jobId } });
    }

    // After a failure the same key starts it again.
    const again = await post('/encode', body, headers('join'));
    expect(again.status).toBe(200);
    expect(again.body.jobId).not.toBe(jobId);

    // After a success it answers what is stored.
    const stored = await post('/encode', body, headers('join'));
    expect(stored).toMatchObject({ status: 200, body: again.body });
    expect(await post('/encode', body, { ...headers('join'), prefer: 'respond-async' })).toMatchObject({
      status: 200,
      body: again.body,
    });
    expect(media.count('GET /slow')).toBe(2);
  });

  test('after a cancel it starts again', async () => {
    const first = await container.submit('/encode', encodeOf(never, 'cancelled'), headers('cancelled'));
    await container.call('DELETE', `/jobs/${first}`);
    const second = await container.submit('/encode', encodeOf(never, 'cancelled'), headers('cancelled'));
    expect(second).not.toBe(first);
  });

  test('with another body or for another endpoint it is 422', async () => {
    await post('/encode', encodeOf(speech(), 'reused'), headers('reused'));
    const chunk = { sourceUrl: speech(), chunks: [{ index: 0, uploadUrl: out('reused') }] };
    for (const [path, body] of [
      ['/encode', encodeOf(speech(), 'another')],
      ['/encode', { ...encodeOf(speech(), 'reused'), sourceSha256: '0'.repeat(64) }],
      ['/chunk', chunk],
    ] as const) {
      const answer = await post(path, body, headers('reused'));
      expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    }
  });

  test('a URL that is only signed anew joins', async () => {
    const signed = (signature: string) => ({
      sourceUrl: `${never}?X-Amz-Date=${signature}&X-Amz-Signature=${signature}`,
      outputs: [{ format: 'mp3_64', uploadUrl: `${media.url}/signed?X-Amz-Signature=${signature}` }],
    });
    const jobId = await container.submit('/encode', signed('one'), headers('signed'));
    expect(await container.submit('/encode', signed('two'), headers('signed'))).toBe(jobId);
    expect(container.process.output).not.toContain('X-Amz');
  });

  test.each([
    ['256 characters', 'x'.repeat(256)],
    ['a tab within', 'a\tb'],
    ['beyond ASCII', 'é'],
    ['nothing', ''],
  ])('%s: 400', async (_what, key) => {
    const answer = await post('/encode', encodeOf(never, 'bad-key'), headers(key));
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test('255 printable characters are taken', async () => {
    const key = ` ~!"#${'x'.repeat(250)}`.trim().padEnd(255, 'y');
    await container.submit('/encode', encodeOf(never, 'long-key'), headers(key));
  });

  test('of two joined clients one may leave, and when both have left the job is cancelled', async () => {
    const body = encodeOf(never, 'leaving');
    const [one, other] = [heldRequest(body, headers('leaving')), heldRequest(body, headers('leaving'))];
    const jobId = await activeJob();
    // A round trip later the container knows of both, and then that one has left.
    await container.health();
    one.drop();
    expect(await one.answer).toBe('dropped');
    expect((await post('/encode', body, { ...headers('x'), prefer: 'respond-async' })).status).toBe(429);
    expect((await container.job(jobId)).state).toBe('running');
    other.drop();
    await container.untilJob(jobId, 'cancelled job', ({ state }) => state === 'cancelled');
  });

  test('a job that an asynchronous client joined goes on without the held one', async () => {
    const body = encodeOf(never, 'kept');
    const held = heldRequest(body, headers('kept'));
    const jobId = await activeJob();
    expect(await container.submit('/encode', body, headers('kept'))).toBe(jobId);
    held.drop();
    await held.answer;
    const gone = () => container.process.logLines.some(({ msg }) => msg === 'request aborted');
    await container.process.until('dropped request in the log', gone);
    expect((await container.job(jobId)).state).toBe('running');
  });
});

describe('draining on SIGTERM', () => {
  test('nothing new is admitted, the running job ends, its client is answered, and the scratch folder is empty', async () => {
    let release = (): void => {};
    const slow = media.on('GET /draining', (_request, response) => {
      release = () => void copyFileTo(response);
    });
    const copyFileTo = async (response: NodeJS.WritableStream) => {
      const { createReadStream } = await import('node:fs');
      createReadStream(speechWav).pipe(response);
    };
    const draining = await TestContainer.start({ DRAIN_TIMEOUT_SECONDS: '60' });
    const held = draining.call('POST', '/encode', encodeOf(slow, 'drained', draining));
    const jobId = await activeJob(draining);
    await container.process.until('request for the source', () => media.count('GET /draining') === 1);
    process.kill(draining.process.pid, 'SIGTERM');
    await draining.process.untilLogged('Draining: no new jobs');

    const refused = await draining.call('POST', '/encode', encodeOf(slow, 'late', draining));
    expect(refused).toMatchObject({ status: 503, body: { success: false, code: 'draining' } });
    expect(refused.headers['retry-after']).toBe('10');
    expect(await draining.call('GET', '/ready')).toMatchObject({ status: 503, body: { reason: 'draining' } });
    expect((await draining.health()).jobs).toEqual([jobId]);

    release();
    expect(await held).toMatchObject({ status: 200, body: { success: true, jobId } });
    expect(await draining.process.exited).toEqual({ code: 0, signal: null });
    expect(await readdir(draining.scratchDir)).toEqual([]);
    await draining.stop();
  });

  test('beyond the limit the job is ended as draining, its client is told, and its ffmpeg is gone', async () => {
    const draining = await TestContainer.start({ DRAIN_TIMEOUT_SECONDS: '1', FFMPEG_PATH: hangingFfmpeg });
    await copyFile(speechWav, join(draining.mediaRoot, 'speech.wav'));
    const held = draining.call('POST', '/encode', encodeOf(draining.fileUrl('speech.wav'), 'x', draining));
    const jobId = await activeJob(draining);
    await draining.untilJob(jobId, 'job at ffmpeg', ({ phase }) => phase === 'encode');
    process.kill(draining.process.pid, 'SIGTERM');
    expect(await held).toMatchObject({ status: 503, body: { success: false, code: 'draining', jobId } });
    expect(await draining.process.exited).toEqual({ code: 0, signal: null });
    expect(draining.process.messages()).toContain(`[JOB_END] Failed encoding job ${jobId}. Active jobs: 0`);
    expect(await readdir(draining.scratchDir)).toEqual([]);
    expect(await ffmpegProcessesUnder(draining.scratchDir)).toEqual([]);
    await draining.stop();
  });
});

test('a start sweeps the folders of dead processes, and not those of living ones', async () => {
  const dead = spawn('true');
  await once(dead, 'exit');
  const living = spawn('sleep', ['60']);
  const host = hostname().replaceAll(/[^A-Za-z0-9]/g, '');
  const shared = join(container.mediaRoot, 'shared-scratch');
  const kept = [`holdfast-${host}-${living.pid}-abc`, 'holdfast-elsewhere-1-abc', 'another'];
  const swept = `holdfast-${host}-${dead.pid}-abc`;
  for (const name of [...kept, swept]) await mkdir(join(shared, name, 'job'), { recursive: true });
  const starting = await TestContainer.start({ SCRATCH_DIR: shared });
  expect(await readdir(shared)).toEqual(expect.arrayContaining(kept));
  expect(await readdir(shared)).not.toContain(swept);
  await starting.stop();
  expect((await readdir(shared)).toSorted()).toEqual(kept.toSorted());
  living.kill();
  await rm(shared, { recursive: true });
});

describe('a bad setting stops the start with a sentence that names it', () => {
  test.each([
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['HOST', 'nothing.invalid'],
    ['HOST', '203.0.113.1'],
    ['RETRY_AFTER_SECONDS', '0'],
    ['RETRY_AFTER_SECONDS', '-1'],
    ['RETRY_AFTER_SECONDS', '1.5'],
    ['RETRY_AFTER_SECONDS', 'soon'],
    ['MEDIA_ROOT', 'relative'],
    ['MEDIA_ROOT', '/nowhere/at/all'],
    ['MEDIA_ROOT', '/etc/hostname'],
    ['SCRATCH_DIR', '/nowhere/at/all'],
    ['SCRATCH_DIR', '/proc'],
    ['ALLOW_PRIVATE_ADDRESSES', '10.0.0.0/99'],
    ['ALLOW_PRIVATE_ADDRESSES', 'a b'],
    ['JOB_TIMEOUT_SECONDS', '9999999'],
    ['STALL_TIMEOUT_SECONDS', '0'],
    ['LOG_LEVEL', 'loud'],
  ])('%s=%s', async (name, value) => {
    const process = startNode('container/main.ts', { PORT: '0', [name]: value });
    expect((await process.exited).code).toBe(1);
    expect(process.output).toContain(name);
    expect(process.output).not.toMatch(/^\s+at /m);
  });

  test('an empty one counts as unset', async () => {
    const process = startNode('container/main.ts', { PORT: '0', HOST: '', MEDIA_ROOT: '', CONTAINER_TOKEN: '' });
    await process.untilLogged(/^Listening on http:\/\/127\.0\.0\.1:/);
    await process.stop();
  });
});

describe('where sources may be and uploads may go', () => {
  const serveRedirects = (name: string, to: string, count: number): string => {
    for (let hop = 1; hop < count; hop += 1) {
      media.on(`GET /${name}-${hop}`, (_request, response) => {
        response.writeHead(302, { location: `/${name}-${hop + 1}` }).end();
      });
    }
    media.on(`GET /${name}-${count}`, (_request, response) => void response.writeHead(307, { location: to }).end());
    return `${media.url}/${name}-1`;
  };
  const tryIt = async (sourceUrl: string): Promise<Answer> => await post('/encode', encodeOf(sourceUrl, 'where'));

  test('three redirects are followed, four are not', async () => {
    media.serve('/final.wav', speechWav);
    expect((await tryIt(serveRedirects('three', '/final.wav', 3))).status).toBe(200);
    expect(await tryIt(serveRedirects('four', '/final.wav', 4))).toMatchObject({
      status: 403,
      body: { code: 'source_forbidden' },
    });
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]:1/',
    'http://10.0.0.1/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'http://user:secret@127.0.0.1:1/',
  ])('a redirect to %s is not followed', async (to) => {
    const answer = await tryIt(serveRedirects('away', to, 1));
    expect(answer).toMatchObject({ status: 403, body: { code: 'source_forbidden' } });
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  test('an upload is never redirected', async () => {
    const url = media.on('PUT /moved', (request, response) => {
      request.resume();
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(
      await post('/encode', { ...encodeOf(speech(), ''), outputs: [{ format: 'mp3_64', uploadUrl: url }] }),
    ).toMatchObject({
      status: 422,
      body: { code: 'upload_refused', details: { status: 307 } },
    });
    expect(media.count('PUT /elsewhere')).toBe(0);
  });

  test.each([
    ['http://user:secret@127.0.0.1:1/x', 403, 'upload_forbidden'],
    ['http://10.0.0.1/x', 403, 'upload_forbidden'],
    ['http://[fd00::1]/x', 403, 'upload_forbidden'],
    ['file:///tmp/evil', 403, 'upload_forbidden'],
    ['file:///', 403, 'upload_forbidden'],
  ])('an upload to %s is %i %s', async (uploadUrl, status, code) => {
    const source = media.serve('/not-read.wav', speechWav);
    const sibling = { format: 'mp3_64', uploadUrl: `${media.url}/sibling` };
    const outputs = [sibling, { format: 'mp3_64', uploadUrl }];
    const answer = await post('/encode', { sourceUrl: source, outputs });
    expect(answer).toMatchObject({ status, body: { code } });
    // Nothing is worth the trouble when one of them has no place to go.
    expect(media.count('GET /not-read.wav') + media.count('PUT /sibling')).toBe(0);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  test.each([
    ['http://user:secret@127.0.0.1:1/x', 403, 'source_forbidden'],
    ['http://127.0.0.1:1/x', 502, 'source_unavailable'],
    ['http://nothing.invalid/x', 502, 'source_unavailable'],
    ['http://2130706434/x', 403, 'source_forbidden'],
    ['file:///etc/passwd', 403, 'source_forbidden'],
  ])('a source at %s is %i %s', async (sourceUrl, status, code) => {
    expect(await tryIt(sourceUrl)).toMatchObject({ status, body: { code } });
  });

  test.each([
    [404, 404, 'source_not_found'],
    [410, 404, 'source_not_found'],
    [401, 403, 'source_forbidden'],
    [403, 403, 'source_forbidden'],
    [429, 502, 'source_unavailable'],
    [500, 502, 'source_unavailable'],
    [503, 502, 'source_unavailable'],
  ])('an origin that answers %i: %i %s', async (origin, status, code) => {
    const url = media.on(`GET /status-${origin}`, (_request, response) => void response.writeHead(origin).end('x'));
    expect(await tryIt(url)).toMatchObject({ status, body: { code } });
  });

  test('a compressed answer, a broken one and one that is too large are refused, and the container lives on', async () => {
    const compressed = media.on('GET /gz', (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'.repeat(1000));
    });
    const broken = media.on('GET /broken', (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('x', () => response.destroy());
    });
    const huge = media.on('GET /huge', (_request, response) => {
      response.writeHead(200, { 'content-length': String(1e12) }).write('x');
    });
    for (const [url, status, code] of [
      [compressed, 422, 'undecodable_source'],
      [broken, 502, 'source_unavailable'],
      [huge, 413, 'source_too_large'],
    ] as const) {
      expect(await tryIt(url)).toMatchObject({ status, body: { code } });
    }
    expect((await tryIt(speech())).status).toBe(200);
  });

  test('limits on bytes and seconds', async () => {
    const small = await TestContainer.start({ MAX_SOURCE_BYTES: '100000', MAX_SOURCE_DURATION_SECONDS: '10' });
    await makeMedia(small.mediaRoot, 'long.mp3', '-i', speechWav, '-b:a', '16k');
    await copyFile(speechWav, join(small.mediaRoot, 'large.wav'));
    const streamed = media.on('GET /streamed', (_request, response) => void response.end(Buffer.alloc(200_000)));
    for (const [url, code] of [
      [small.fileUrl('large.wav'), 'source_too_large'],
      [streamed, 'source_too_large'],
      [small.fileUrl('long.mp3'), 'source_too_long'],
    ] as const) {
      expect(await small.call('POST', '/encode', encodeOf(url, 'x', small))).toMatchObject({
        status: 413,
        body: { code },
      });
    }
    await small.stop();
  });
});

test('no answer and no log line of all this held a stack trace, a path of ours or a query', () => {
  const { output } = container.process;
  expect(output).not.toContain(container.mediaRoot);
  expect(output).not.toContain(container.scratchDir);
  expect(output).not.toMatch(/"stack"|\bat \S+ \(|node_modules/);
  expect(output).not.toMatch(/secret|X-Amz|\?/);
});
