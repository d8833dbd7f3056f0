import { copyFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { musicOgg, speechWav } from '../../../support/media.ts';
import { useService } from '../../http/support.ts';
import { makeMedia } from '../../../support/media-files.ts';
import { stopAfterTest } from '../../../support/stop-after-all.ts';

const service = await useService();

test('serves other requests and jobs while slow sources of the same origin arrive', async () => {
  const slow = service.media.on('GET /slow', (_request, response) => void response.write('RIFF'));
  const gone = new AbortController();
  const slowOnes = Array.from({ length: 20 }, () =>
    fetch(`${service.container.url}/metadata`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sourceUrl: slow }),
      signal: gone.signal,
    }).catch(() => {}),
  );
  await service.container.process.until('slow sources', () => service.media.count('GET /slow') === 20);
  const sourceUrl = service.media.serve('/speech.wav', speechWav);
  expect((await service.post('/metadata', { sourceUrl })).status).toBe(200);
  expect((await service.post('/encode', service.encodeOf(sourceUrl, 'meanwhile'))).status).toBe(200);
  gone.abort();
  await Promise.all(slowOnes);
  await service.container.process.until(
    'empty scratch folder',
    async () => (await service.container.jobFolders()).length === 0,
  );
});

test('stops inspecting an endless source at the time limit', async () => {
  const own = await stopAfterTest(TestContainer.start({ METADATA_TIMEOUT_SECONDS: '1' }));
  const sourceUrl = service.media.on('GET /endless', (_request, response) => {
    const drip = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(drip));
  });
  const answer = await own.call('POST', '/metadata', { sourceUrl });
  expect(answer).toMatchObject({ status: 504, body: { success: false, code: 'timeout' } });
  expect(await own.jobFolders()).toEqual([]);
});

test('applies the limits of sources to inspections', async () => {
  const own = await stopAfterTest(TestContainer.start({ MAX_SOURCE_DURATION_SECONDS: '10', MAX_SOURCE_STREAMS: '2' }));
  await copyFile(speechWav, join(own.mediaRoot, 'declared.wav'));
  await makeMedia(own.mediaRoot, 'undeclared.aac', '-i', speechWav, '-c:a', 'aac');
  await makeMedia(own.mediaRoot, 'streams.mka', '-i', musicOgg, ...['-map', '0', '-map', '0', '-map', '0', '-t', '1']);
  const second = ['-t', '1', '-ar', '8000', '-c:a', 'pcm_s16le'];
  await makeMedia(own.mediaRoot, 'slow.wav', '-i', speechWav, ...second);
  const file = await open(join(own.mediaRoot, 'slow.wav'), 'r+');
  await file.write(new Uint8Array(Uint32Array.of(100).buffer), 0, 4, 24);
  await file.close();
  for (const [name, status, code] of [
    ['declared.wav', 413, 'source_too_long'],
    ['undeclared.aac', 413, 'source_too_long'],
    ['streams.mka', 422, 'undecodable_source'],
    ['slow.wav', 422, 'undecodable_source'],
  ] as const) {
    const answer = await own.call('POST', '/metadata', { sourceUrl: own.fileUrl(name) });
    expect([name, answer]).toMatchObject([name, { status, body: { code } }]);
  }
  expect(await own.jobFolders()).toEqual([]);
});
