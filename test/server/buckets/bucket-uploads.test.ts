import { expect, test } from 'vitest';
import { BucketUploads } from '../../../server/buckets/bucket-uploads.ts';
import type { SigningStore, StoredPart } from '../../../stores/store.ts';
import { fakeStores } from '../../support/fake-stores.ts';

const callerOf = (owner: string) => ({ id: owner, owner, scopes: new Set(['run'] as const) });
const [anna, bert] = [callerOf('anna'), callerOf('bert')];
/** A caller who sees the runs of all owners. */
const anyone = { ...bert, owner: undefined };
const talk = { filename: 'talk.wav', bytes: 10 };

function uploadsTo(store: Partial<SigningStore>, prefix = 's3://media/uploads/'): BucketUploads {
  return new BucketUploads({ stores: fakeStores(store), prefix, maxBytes: 1e9 });
}

/** A store that joins the parts slowly and then knows only the object. */
function slowStore() {
  let parts: StoredPart[] | undefined = [{ part: 1, bytes: talk.bytes, etag: 'one' }];
  const [begun, assembled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let stored: number | undefined;
  let own = '';
  const store: Partial<SigningStore> = {
    beginUpload: async (url) => {
      own = url;
      return 'upload';
    },
    listParts: async (url) => (url === own ? parts : undefined),
    sizeOf: async (url) => (url === own ? stored : undefined),
    completeUpload: async () => {
      parts = undefined;
      begun.resolve();
      await assembled.promise;
      stored = talk.bytes;
    },
  };
  return { store, begun: begun.promise, assemble: assembled.resolve };
}

test('answers a repeated completion like the first one, while the store still joins the parts', async () => {
  const { store, begun, assemble } = slowStore();
  const uploads = uploadsTo(store);
  const { id, source } = await uploads.begin(talk, anna);
  const first = uploads.complete(id, anna);
  await begun;
  const again = uploads.complete(id, anna);
  for (const other of [bert, anyone]) {
    await expect(uploads.complete(id, other)).rejects.toMatchObject({ code: 'not_found' });
    await expect(uploads.view(id, other)).rejects.toMatchObject({ code: 'not_found' });
  }
  assemble();
  for (const answer of [await first, await again, await uploads.complete(id, anna)]) {
    expect(answer).toEqual({ source, bytes: talk.bytes });
  }
});

test('no spelling of a key reaches the upload of another owner', async () => {
  const { store } = slowStore();
  const uploads = uploadsTo(store, 's3://media/in/uploads/');
  const { source } = await uploads.begin(talk, anna);
  const key = source.slice('s3://media/in/uploads/'.length);
  for (const start of ['in/uploads/', '/in/uploads/', 'in//uploads/', '//in/uploads///', 'in/uploads//']) {
    const url = `s3://media/${start}${key}`;
    expect(() => uploads.requireOwn(url, bert), url).toThrow('This upload does not exist');
  }
  for (const url of [`s3://media/in/./uploads/${key}`, `s3://media/x/../in/uploads/${key}`]) {
    expect(() => uploads.requireOwn(url, bert), url).toThrow('no . or ..');
  }
  expect(() => uploads.requireOwn(source, anna)).not.toThrow();
  for (const url of ['s3://media/own//talk.wav', `s3://other/in//uploads/${key}`, 's3://media/in/talk.wav']) {
    expect(() => uploads.requireOwn(url, bert), url).not.toThrow();
  }
});

test('rejects an upload id that is a path before it asks the store', async () => {
  const asked: string[] = [];
  const listParts = async (_url: string, uploadId: string) => void asked.push(uploadId);
  const store = { listParts };
  const uploads = uploadsTo(store);
  const idOf = (uploadId: string): string =>
    Buffer.from(JSON.stringify(['8D6-_cNNUgNgPeaN8tlKVw-talk.wav', uploadId, 10])).toString('base64url');
  for (const uploadId of [
    '..',
    '.',
    '../../..',
    '../0d123ec9/6182a742',
    'x/../../0d123ec9/6182a742',
    '6182a742/../y',
    '..\0',
  ]) {
    const id = idOf(uploadId);
    await expect(uploads.view(id, anna), uploadId).rejects.toMatchObject({ code: 'not_found' });
    await expect(uploads.sign(id, [1], anna), uploadId).rejects.toMatchObject({ code: 'not_found' });
    await expect(uploads.complete(id, anna), uploadId).rejects.toMatchObject({ code: 'not_found' });
    await expect(uploads.remove(id, anna), uploadId).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(asked).toEqual([]);
  // Ids as real stores make them.
  for (const uploadId of ['6182a742-5e8e-41b9', '2~Vw_x-9', 'ibZBv.gd9r--', 'aGVs+bG8/x==', 'OEw..F3953']) {
    await uploads.remove(idOf(uploadId), anna);
  }
  expect(asked).toHaveLength(5);
});

test('accepts a completed upload for which the store still lists a late part', async () => {
  const late: StoredPart = { part: 2, bytes: 100, etag: 'late' };
  const bytes = 8 * 1024 ** 2 + 100;
  let stored: number | undefined;
  const store = {
    beginUpload: async () => 'upload',
    listParts: async () => [late],
    sizeOf: async () => stored,
  };
  const uploads = uploadsTo(store);
  const { id, source } = await uploads.begin({ filename: 'talk.wav', bytes }, anna);
  await expect(uploads.complete(id, anna)).rejects.toMatchObject({ code: 'upload_unfinished' });
  stored = bytes;
  expect(await uploads.complete(id, anna)).toEqual({ source, bytes });
});

// Stores answer an abort while a part is still in transfer. AWS asks to look for such parts; versitygw keeps them.
test('aborts an upload again when a part has arrived after the abort', async () => {
  const asked: string[] = [];
  const parts: StoredPart[][] = [[{ part: 1, bytes: 10, etag: 'x' }]];
  const uploads = uploadsTo({
    beginUpload: async () => 'upload',
    abortUpload: async () => void asked.push('abort'),
    listParts: async () => {
      asked.push('list');
      return parts.shift();
    },
  });
  const { id } = await uploads.begin(talk, anna);
  await uploads.remove(id, anna);
  expect(asked).toEqual(['abort', 'list', 'abort', 'list']);
});

test.each([
  ['keeps', 'an hour ago', 1],
  ['aborts', 'more than a day ago', 25],
  ['aborts', 'at a time that the store does not report', undefined],
])('a sweep %s an old upload whose last part was stored %s', async (verb, _, hours) => {
  const [now, hour] = [Date.now(), 3_600_000];
  const part = { part: 1, bytes: 10, etag: 'one' };
  let parts: StoredPart[] | undefined = [
    { ...part, ...(hours !== undefined && { storedAtMs: now - hours * hour }) },
    { ...part, part: 2, ...(hours !== undefined && { storedAtMs: now - 30 * hour }) },
  ];
  let source = '';
  const uploads = uploadsTo({
    beginUpload: async () => 'upload',
    listUploads: async () => [{ url: source, uploadId: 'upload', startedAtMs: now - 40 * hour }],
    listParts: async () => parts,
    abortUpload: async () => {
      parts = undefined;
    },
  });
  ({ source } = await uploads.begin(talk, anna));
  await uploads.sweep(now);
  expect(parts === undefined).toBe(verb === 'aborts');
});
