import { statfs } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { jobRoom, SharedRoom } from '../../../container/transfer/scratch-room.ts';
import { TestContainer } from '../../support/container.ts';
import { useService } from '../http/support.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const service = await useService();
const free = async () => 1000e6;

test('gives a job all free space, and no byte more', async () => {
  await jobRoom(free).claim(1000e6);
  await expect(jobRoom(free).claim(1000e6 + 1)).rejects.toMatchObject({
    code: 'disk_full',
    message: expect.stringContaining('of 1000 MB does not fit on the scratch disk'),
    details: { neededBytes: 1000e6 + 1, freeBytes: 1000e6 },
  });
});

test('shares half of the free space among inspections, and takes it back', async () => {
  const shared = new SharedRoom();
  const [one, two, three] = [shared.room(free), shared.room(free), shared.room(free)];
  await one.claim(300e6);
  await expect(two.claim(201e6)).rejects.toMatchObject({ code: 'disk_full', details: { freeBytes: 200e6 } });
  await two.claim(150e6);
  // Space for an unknown length is claimed in steps of 16 MiB.
  await three.grow(1);
  await three.grow(16 * 1024 ** 2);
  await three.grow(17 * 1024 ** 2);
  await expect(three.grow(51e6)).rejects.toMatchObject({ code: 'disk_full' });
  one.release();
  one.release();
  await three.grow(51e6);
  await expect(one.claim(300e6)).rejects.toMatchObject({ code: 'disk_full' });
  two.release();
  await one.claim(300e6);
});

test('gives the last space to only one of simultaneous claims', async () => {
  const shared = new SharedRoom();
  const claims = await Promise.allSettled([300e6, 300e6, 100e6].map((bytes) => shared.room(free).claim(bytes)));
  expect(claims.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('fails with disk_full before the first byte of a source that does not fit', async () => {
  const container = await stopAfterTest(TestContainer.start({ MAX_SOURCE_BYTES: String(2 ** 50) }));
  const { bavail, bsize } = await statfs(container.scratchDir);
  const declare = (name: string, bytes: number): string =>
    // The body never arrives.
    service.media.on(`GET /${name}`, (_request, response) => {
      response.writeHead(200, { 'content-length': String(Math.floor(bytes)) }).flushHeaders();
    });
  const tooLarge = declare('too-large', bavail * bsize * 1.1);
  for (const [path, request] of [
    ['/encode', service.encodeOf(tooLarge, 'x', container)],
    ['/metadata', { sourceUrl: tooLarge }],
    ['/metadata', { sourceUrl: declare('more-than-half', bavail * bsize * 0.6) }],
  ] as const) {
    const answer = await container.call('POST', path, request);
    expect(answer).toMatchObject({ status: 503, body: { code: 'disk_full' } });
    expect(answer.body.error).toMatch(/^The source of \d+ MB does not fit on the scratch disk/);
  }
  expect(await container.jobFolders()).toEqual([]);
});
