import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeMedia } from '../support/media-files.ts';
import { clapFilm, quickH264 } from '../support/films.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { TestContainer } from '../support/container.ts';
import { patient } from '../support/stack.ts';
import { rowsExcept } from '../support/rows.ts';
import { Barrier } from './support/barrier.ts';
import { expectNoProcess, expectNothingLeft } from './support/leftovers.ts';

// A film's job is cancelled, and its container killed, in each phase: nothing is left, and the next job makes the right
// file.

/** A phase is recognised by a call of a tool with this text in its arguments. */
const held = {
  probe: ['ffprobe', '%+#1'],
  sound: ['ffmpeg', '/output-0-sound'],
  pictures: ['ffmpeg', 'libx264'],
  verify: ['ffprobe', '/output-0'],
} as const;
const phases = ['download', 'probe', 'sound', 'pictures', 'verify', 'upload'] as const;
type Phase = (typeof phases)[number];

let barrier: Barrier;
let media: MediaServer;
let container: TestContainer;
let film: string;
let isOriginShut = false;
let isStoreShut = false;
let waiting = 0;
/** format of each whole file that was stored */
let stored: string[] = [];
let rightFile: string;
const request = { sourceUrl: '', outputs: [{ container: 'mp4', video: { speed: 'fast' }, uploadUrl: '' }] };

beforeAll(async () => {
  barrier = await Barrier.make();
  media = await MediaServer.start();
  container = await TestContainer.start({ ...patient, ...barrier.environment });
  film = await makeMedia(container.mediaRoot, 'film.mp4', ...clapFilm(2), ...quickH264, '-c:a', 'aac');
  const { size } = await stat(film);
  request.sourceUrl = media.on('GET /film.mp4', (_request, response) => {
    response.writeHead(200, { 'content-length': size });
    if (!isOriginShut) return void createReadStream(film).pipe(response);
    waiting += 1;
    createReadStream(film, { end: 1000 }).pipe(response, { end: false });
  });
  const uploadUrl = media.on('PUT /made.mp4', (put, response) => {
    const hash = createHash('sha256');
    if (isStoreShut) waiting += 1;
    put.on('data', (bytes: Buffer) => hash.update(bytes));
    put.on('end', () => {
      if (isStoreShut) return;
      stored.push(hash.digest('hex'));
      response.end();
    });
  });
  request.outputs = request.outputs.map((output) => ({ ...output, uploadUrl }));
  rightFile = await makeRightFile();
});

afterAll(async () => {
  await container.stop();
  await Promise.all([media.stop(), barrier.remove()]);
});

async function makeRightFile(key = ''): Promise<string> {
  stored = [];
  const headers = key === '' ? {} : { 'idempotency-key': key };
  const { body } = await container.call('POST', '/encode', request, headers);
  expect(body).toMatchObject({ success: true });
  expect(stored).toEqual([body.outputs[0].sha256]);
  return stored[0] ?? '';
}

/** Starts a job that stays in the phase; returns its id and a release for the next job. */
async function holdIn(phase: Phase, key: string): Promise<{ jobId: string; release(): Promise<void> }> {
  [waiting, stored] = [0, []];
  isOriginShut = phase === 'download';
  isStoreShut = phase === 'upload';
  if (phase !== 'download' && phase !== 'upload') {
    const [tool, text] = held[phase];
    await barrier.shut(tool, text);
  }
  const jobId = await container.submit('/encode', request, { 'idempotency-key': key });
  await container.process.until(`job held in ${phase}`, () =>
    phase === 'download' || phase === 'upload' ? waiting > 0 : barrier.isReached(held[phase][0]),
  );
  return {
    jobId,
    async release() {
      [isOriginShut, isStoreShut] = [false, false];
      await barrier.open();
    },
  };
}

test.each(rowsExcept(['probe', 'sound', 'verify', 'upload'], phases))(
  'a film that is cancelled in %s leaves nothing, and the next job makes the right file',
  async (phase) => {
    const { jobId, release } = await holdIn(phase, `cancelled-${phase}`);
    await container.call('DELETE', `/jobs/${jobId}`);
    expect(await container.job(jobId)).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } });
    await expectNothingLeft(container);
    expect(stored).toEqual([]);
    await release();
    expect(await makeRightFile()).toBe(rightFile);
  },
);

test.each(rowsExcept(['download', 'probe', 'sound', 'verify'], phases))(
  'a container that is killed in %s of a film leaves nothing, and the next one makes the right file',
  async (phase) => {
    const { release } = await holdIn(phase, `killed-${phase}`);
    await container.process.stop('SIGKILL');
    await expectNoProcess(container);
    expect(stored).toEqual([]);
    await release();
    container = await TestContainer.restart(container);
    expect(await makeRightFile(`killed-${phase}`)).toBe(rightFile);
    await expectNothingLeft(container);
  },
);
