import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { MediaServer } from '../fixtures/media-server.ts';
import { TestContainer, type Answer } from '../support/container.ts';
import { ffmpegProcessesUnder } from '../support/ffmpeg-processes.ts';
import { longWav, speechWav } from '../support/media.ts';
import { stopAfterAll, stopAfterTest } from '../support/stop-after-all.ts';

const media = await stopAfterAll(MediaServer.start());
const container = await stopAfterAll(TestContainer.start());
await copyFile(await longWav({ seconds: 1200, channels: 2 }), join(container.mediaRoot, 'long.wav'));
await copyFile(speechWav, join(container.mediaRoot, 'speech.wav'));

function encodeOf(source: string, name: string, formats = ['mp3_128']) {
  return {
    sourceUrl: container.fileUrl(source),
    outputs: formats.map((format) => ({ format, uploadUrl: container.fileUrl(`${name}-${format}`) })),
  };
}

/** A request with many outputs of a long file, which keeps ffmpeg busy long enough to observe. */
function longEncode(name: string) {
  return encodeOf('long.wav', name, ['mp3_128', 'aac_128', 'opus_96', 'mp3_320', 'opus_24']);
}

async function startLongEncode(name: string): Promise<string> {
  const jobId = await container.submit('/encode', longEncode(name));
  await container.untilJob(jobId, 'running ffmpeg', ({ phase, percent }) => phase === 'encode' && percent > 11);
  return jobId;
}

function expectBusy(answer: Answer, retryAfterSeconds: number): void {
  expect(answer.status).toBe(429);
  expect(answer.headers['retry-after']).toBe(String(retryAfterSeconds));
  expect(answer.headers['x-ratelimit-limit']).toBe('1');
  expect(answer.headers['x-ratelimit-remaining']).toBe('0');
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.body).toEqual({
    success: false,
    error: `Encoding service is busy. Please retry in ${retryAfterSeconds} seconds.`,
    retryAfter: retryAfterSeconds,
    activeJobs: 1,
    code: 'busy',
  });
}

describe('rate limiting behaviour', () => {
  test('a busy container answers encode and chunk with a complete 429 and does not read the source', async () => {
    const jobId = await startLongEncode('behaviour');
    const url = media.serve('/never-read.wav', speechWav);
    const target = container.fileUrl('never');
    expectBusy(
      await container.call('POST', '/encode', { sourceUrl: url, outputs: [{ format: 'mp3_64', uploadUrl: target }] }),
      10,
    );
    expectBusy(
      await container.call('POST', '/chunk', { sourceUrl: url, chunks: [{ index: 0, uploadUrl: target }] }),
      10,
    );
    expectBusy(
      await container.call('POST', '/encode', longEncode('async'), {
        prefer: 'respond-async',
        'idempotency-key': 'another',
      }),
      10,
    );
    expect(media.count('GET /never-read.wav')).toBe(0);
    await container.process.untilLogged('[RATE_LIMIT] Rejecting encode request - 1 jobs already active');
    await container.process.untilLogged('[RATE_LIMIT] Rejecting chunk request - 1 jobs already active');
    expect((await container.job(jobId)).state).toBe('running');
    await container.call('DELETE', `/jobs/${jobId}`);
  });

  test('admits exactly one of a hundred concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        container.call('POST', '/encode', longEncode(`crowd-${index}`), { prefer: 'respond-async' }),
      ),
    );
    const admitted = answers.filter(({ status }) => status === 202);
    expect(admitted).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 202)) expectBusy(answer, 10);
    await container.call('DELETE', `/jobs/${admitted[0]?.body.jobId}`);
  });

  test('never refuses GET and metadata requests because of a running job', async () => {
    const jobId = await startLongEncode('looking');
    for (const path of ['/', '/health', '/ready', '/jobs', `/jobs/${jobId}`]) {
      expect((await container.call('GET', path)).status).toBe(200);
    }
    const metadata = await container.call('POST', '/metadata', { sourceUrl: container.fileUrl('speech.wav') });
    expect(metadata.status).toBe(200);
    expect((await container.job(jobId)).state).toBe('running');
    await container.call('DELETE', `/jobs/${jobId}`);
  });

  test('an admitted request learns the limit and that nothing remains', async () => {
    const held = await container.call('POST', '/encode', encodeOf('speech.wav', 'headers'));
    expect(held.status).toBe(200);
    expect(held.headers['x-ratelimit-limit']).toBe('1');
    expect(held.headers['x-ratelimit-remaining']).toBe('0');
  });

  test('uses RETRY_AFTER_SECONDS in the header, the field and the sentence', async () => {
    const other = await stopAfterTest(TestContainer.start({ RETRY_AFTER_SECONDS: '7' }));
    const never = media.on('GET /never-answers', () => {});
    const body = { sourceUrl: never, outputs: [{ format: 'mp3_128', uploadUrl: other.fileUrl('x') }] };
    await other.submit('/encode', body);
    expectBusy(await other.call('POST', '/encode', body), 7);
  });
});

describe('job tracking: every ending frees the slot', () => {
  /** Expects no active job, no ffmpeg and no job folder, and that the next job is admitted at once. */
  async function expectFreed(
    jobId: string,
    endWord: 'Completed' | 'Failed' | 'Cancelled',
    kind = 'encoding',
  ): Promise<void> {
    await container.process.untilLogged(`[JOB_END] ${endWord} ${kind} job ${jobId}. Active jobs: 0`);
    const start = container.process.logLines.filter(
      ({ msg }) => msg === `[JOB_START] Started ${kind} job ${jobId}. Active jobs: 1`,
    );
    expect(start).toHaveLength(1);
    expect(start[0]).toMatchObject({ jobId, activeJobs: 1 });
    expect(await container.health()).toMatchObject({ status: 'healthy', activeJobs: 0, jobs: [] });
    expect(await ffmpegProcessesUnder(container.scratchDir)).toEqual([]);
    expect(await container.jobFolders()).toEqual([]);
    const next = await container.call('POST', '/encode', encodeOf('speech.wav', 'next'));
    expect(next.status).toBe(200);
    expect(next.body.jobId).not.toBe(jobId);
  }

  test('frees the slot after a successful encode', async () => {
    const answer = await container.call('POST', '/encode', encodeOf('speech.wav', 'success'));
    expect(answer.status).toBe(200);
    await expectFreed(answer.body.jobId, 'Completed');
  });

  test('frees the slot after a successful chunk job', async () => {
    const answer = await container.call('POST', '/chunk', {
      sourceUrl: container.fileUrl('speech.wav'),
      chunks: [{ index: 0, uploadUrl: container.fileUrl('chunk-0.wav') }],
    });
    expect(answer.status).toBe(200);
    await expectFreed(answer.body.jobId, 'Completed', 'chunking');
  });

  test('frees the slot after a source that is not media', async () => {
    const url = media.on(
      'GET /page.html',
      (_request, response) => void response.end('<html>no audio here</html>'.repeat(100)),
    );
    const answer = await container.call('POST', '/encode', {
      sourceUrl: url,
      outputs: [{ format: 'mp3_128', uploadUrl: container.fileUrl('failure') }],
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ success: false, code: 'undecodable_source' });
    await expectFreed(answer.body.jobId, 'Failed');
  });

  test('frees the slot after a cancelled job', async () => {
    const jobId = await startLongEncode('cancel');
    expect((await container.health()).jobs).toEqual([jobId]);
    const answer = await container.call('DELETE', `/jobs/${jobId}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } });
    await expectFreed(jobId, 'Cancelled');
  });

  test('frees the slot and answers 499 when another caller cancels the job of a held request', async () => {
    const held = container.call('POST', '/encode', longEncode('held'));
    const [jobId = ''] = await container.process.until('active job', async () => {
      const { jobs } = await container.health();
      return jobs.length === 1 && jobs;
    });
    await container.call('DELETE', `/jobs/${jobId}`);
    expect(await held).toMatchObject({ status: 499, body: { success: false, code: 'cancelled', jobId } });
    await expectFreed(jobId, 'Cancelled');
  });

  test('frees the slot when the client disconnects', async () => {
    const abort = new AbortController();
    const held = request(`${container.url}/encode`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(longEncode('gone')),
      signal: abort.signal,
    }).catch(() => 'gone');
    const [jobId = ''] = await container.process.until('active job', async () => {
      const { jobs } = await container.health();
      return jobs.length === 1 && jobs;
    });
    await container.untilJob(jobId, 'running ffmpeg', ({ phase }) => phase === 'encode');
    abort.abort();
    expect(await held).toBe('gone');
    await expectFreed(jobId, 'Cancelled');
  });

  test('frees the slot when ffmpeg is killed from outside', async () => {
    const jobId = await startLongEncode('killed');
    const pid = await container.process.until(
      'ffmpeg',
      async () => (await ffmpegProcessesUnder(container.scratchDir))[0],
    );
    process.kill(pid, 'SIGKILL');
    expect(await container.untilEnded(jobId)).toMatchObject({ state: 'failed', error: { code: 'ffmpeg_failed' } });
    await expectFreed(jobId, 'Failed');
  });

  test('frees the slot after a refused upload', async () => {
    const url = media.on('PUT /refused', (request, response) => {
      request.resume();
      response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    });
    const answer = await container.call('POST', '/encode', {
      sourceUrl: container.fileUrl('speech.wav'),
      outputs: [{ format: 'mp3_128', uploadUrl: `${url}?X-Amz-Signature=secret` }],
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'upload_refused', details: { status: 403, storeCode: 'AccessDenied' } });
    await expectFreed(answer.body.jobId, 'Failed');
    expect(container.process.output).not.toContain('secret');
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  test('frees the slot after a timeout and after a stalled source', async () => {
    const never = media.on('GET /stalls', () => {});
    const stalling = await stopAfterTest(TestContainer.start({ STALL_TIMEOUT_SECONDS: '1' }));
    const slow = await stopAfterTest(TestContainer.start({ JOB_TIMEOUT_SECONDS: '1' }));
    for (const [other, code, status] of [
      [stalling, 'stalled', 504],
      [slow, 'timeout', 504],
    ] as const) {
      const answer = await other.call('POST', '/encode', {
        sourceUrl: never,
        outputs: [{ format: 'mp3_128', uploadUrl: other.fileUrl('x') }],
      });
      expect(answer).toMatchObject({ status, body: { code } });
      expect((await other.health()).activeJobs).toBe(0);
      expect(await other.jobFolders()).toEqual([]);
    }
  });
});
