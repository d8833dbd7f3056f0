import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { answer, chunkResult, metadataResult, ScriptedContainer } from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';
import { testFolder } from '../../support/folder.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const source = { size: 1_000, validator: '"v1"' };
const keep = { setId: 'ours', indexes: '0,2', totalChunks: 3 };

let folder: string;
let container: ScriptedContainer;

beforeEach(async () => {
  folder = testFolder();
  container = await stopAfterTest(
    ScriptedContainer.start(({ path }) => {
      if (path === '/source') return answer(200, { success: true, ...source });
      return answer(200, path === '/metadata' ? metadataResult : chunkResult(3));
    }),
  );
});

async function writeList(about: object | undefined): Promise<void> {
  const chunks = [0, 1, 2].map((index) => ({
    index,
    start: index * 58,
    duration: 60,
    size: 4,
    sha256: 'ab'.repeat(32),
    file: `chunk-0000${index}.mp3`,
  }));
  await writeFile(
    join(folder, 'chunks.json'),
    JSON.stringify({ version: 1, totalChunks: 3, totalDuration: 130, about, chunks }),
  );
}

const about = { setId: 'ours', chunkDuration: 60, overlapDuration: 2, codec: 'mp3' };

async function cut(input: object = {}): Promise<string[] | undefined> {
  const attempt = new TestAttempt(container.url, { mediaRoot: folder });
  await attempt.chunk({ uploadUrlPrefix: `${pathToFileURL(folder).href}/`, keep, ...input });
  const chunks: object[] | undefined = container.requestsTo('POST', '/chunk')[0]?.body.chunks;
  return chunks?.map((chunk) => ('kept' in chunk ? 'kept' : 'cut'));
}

test('keeps chunks that were found intact and cuts the others', async () => {
  await writeList(about);
  expect(await cut()).toEqual(['kept', 'cut', 'kept']);
});

test('repeats the same request, also once its job has written the list', async () => {
  await writeList(about);
  await cut({ about: { setId: 'of this run' } });
  const [{ body: first } = { body: undefined }] = container.requestsTo('POST', '/chunk');
  await writeList(first.list.about);
  await cut({ about: { setId: 'of this run' } });
  expect(container.requestsTo('POST', '/chunk')[1]?.body).toEqual(first);
});

test('requests all chunks under another key than kept ones, and neither under that of an older version', async () => {
  await writeList(about);
  await cut();
  await writeList({ ...about, setId: 'of another run' });
  await cut();
  const keys = container.requestsTo('POST', '/chunk').map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual(['run:encode:kept', 'run:encode:whole']);
});

test.each<[string, () => Promise<void>]>([
  ['belongs to another run', () => writeList({ ...about, setId: 'of another run' })],
  ['belongs to another program', () => writeList(undefined)],
  ['is gone', async () => {}],
  ['is incomplete', () => writeFile(join(folder, 'chunks.json'), '{"version":1,')],
])('cuts all chunks if the list %s by then', async (_, change) => {
  await change();
  expect(await cut()).toEqual(['cut', 'cut', 'cut']);
});

test('cuts all chunks if another run has replaced the intact ones meanwhile', async () => {
  await writeList({ ...about, setId: 'of another run' });
  expect(await cut({ keep: { ...keep, indexes: '0-2', source } })).toEqual(['cut', 'cut', 'cut']);
});

test('a job verifies a checksum that the earlier run did not verify', async () => {
  await writeList(about);
  const sourceSha256 = 'cd'.repeat(32);
  expect(await cut({ sourceSha256, keep: { ...keep, source } })).toEqual(['cut', 'cut', 'cut']);
  const attempt = new TestAttempt(container.url, { mediaRoot: folder });
  await failureOf(attempt.encode({ sourceSha256, unlessSource: source }));
  expect(container.requestsTo('POST', '/encode')[0]?.body).toMatchObject({ sourceSha256 });
});
