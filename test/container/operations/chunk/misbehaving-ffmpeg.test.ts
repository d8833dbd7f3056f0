import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { speechWav } from '../../../support/media.ts';
import { processesNaming } from '../../../support/ffmpeg-processes.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

const ffmpeg = fileURLToPath(new URL('../../../fixtures/ffmpeg/fails-one-chunk', import.meta.url));

const container = await stopAfterAll(TestContainer.start({ FFMPEG_PATH: ffmpeg, ENCODE_PARALLELISM: '2' }));
await copyFile(speechWav, join(container.mediaRoot, 'speech.wav'));

async function ffmpegs(): Promise<string[]> {
  const found = await processesNaming(container.scratchDir);
  return found.map(({ command }) => command).filter((command) => command.includes(ffmpeg));
}

function chunkRequest(count: number) {
  return {
    sourceUrl: container.fileUrl('speech.wav'),
    chunkDuration: Math.ceil(16 / count),
    overlapDuration: 0,
    chunks: Array.from({ length: count }, (_, index) => ({ index, uploadUrl: container.fileUrl(`out/${index}`) })),
  };
}

async function expectNothingLeft(): Promise<void> {
  expect(await ffmpegs()).toEqual([]);
  expect(await container.jobFolders()).toEqual([]);
}

test('ends the sibling of a failed chunk before it frees the slot', async () => {
  const jobId = await container.submit('/chunk', chunkRequest(2));
  expect(await container.untilEnded(jobId)).toMatchObject({ state: 'failed', error: { code: 'ffmpeg_failed' } });
  await expectNothingLeft();
});

describe('chunk jobs whose ffmpeg ignores SIGTERM', () => {
  const untilFfmpegHangs = () =>
    container.process.until('ffmpeg', async () => (await ffmpegs()).some((line) => line.includes('chunk-0')));

  test('ends ffmpeg before it answers the cancellation of a chunk job', async () => {
    const jobId = await container.submit('/chunk', chunkRequest(1));
    await untilFfmpegHangs();
    expect(await container.call('DELETE', `/jobs/${jobId}`)).toMatchObject({ body: { state: 'cancelled' } });
    await expectNothingLeft();
  });

  test('holds the slot of a disconnected client until ffmpeg has ended', async () => {
    const gone = new AbortController();
    const held = request(`${container.url}/chunk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(chunkRequest(1)),
      signal: gone.signal,
    });
    await untilFfmpegHangs();
    gone.abort();
    await expect(held).rejects.toThrow('aborted');
    await container.process.until('free slot', async () => (await container.health()).activeJobs === 0);
    await expectNothingLeft();
  });
});
