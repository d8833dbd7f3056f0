import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FileUpload } from '../../../api-client/file-upload.ts';
import type { Choice } from '../../../page/state/new-outputs.ts';
import { stubPageGlobals } from './page-globals.ts';

stubPageGlobals();
const { HoldfastClient } = await import('../../../api-client/client.ts');
const { holdfast } = await import('../../../page/api/holdfast.ts');
const { openSession, session, signOut } = await import('../../../page/state/session.ts');
const { addFiles, chooseResults, pauseUpload, removeUpload, uploads } = await import('../../../page/state/uploads.ts');
const { discardUnfinished, unfinishedUploads } = await import('../../../page/state/kept-uploads.ts');

const file = new File(['wave'], 'Talk.wav');
const choice = (id: string): Choice => ({ id, presets: [], extras: {} });

/** Uploads of the file: all of them are the same one at the server. */
let created: { upload: FileUpload; finish: () => void; isRemoved: boolean; isEnded: boolean }[];
/** Requests of the page apart from those of its client. */
let requests: string[];
let sentBytes: number;

function fakeUpload(): FileUpload {
  let finish: (source: string) => void = () => undefined;
  let end: () => void = () => undefined;
  const upload: FileUpload = {
    id: 'AA-Talk.wav',
    send: async () =>
      await new Promise((resolve, reject) => {
        finish = resolve;
        end = () => {
          own.isEnded = true;
          reject(new DOMException('ended', 'AbortError'));
        };
      }),
    pause: async () => end(),
    remove: async () => {
      own.isRemoved = true;
      end();
    },
  };
  const own = { upload, finish: () => finish('upload:AA-Talk.wav'), isRemoved: false, isEnded: false };
  created.push(own);
  return upload;
}

beforeEach(() => {
  vi.stubGlobal('navigator', {});
  [created, requests, sentBytes] = [[], [], 0];
  session.value = {
    state: 'ready',
    server: { version: '1', scopes: ['run'], hasTokens: false, uploads: { maxBytes: 10 } },
    presets: [],
  };
  vi.spyOn(holdfast, 'createUpload').mockImplementation(async () => fakeUpload());
  const start = vi.spyOn(holdfast, 'start').mockImplementation(async () => ({
    ...{ id: 'talk', runId: 'r', workflow: 'encode', state: 'queued', startedAt: '2026-11-30T06:00:00.000Z' },
  }));
  start.mockClear();
  vi.stubGlobal('fetch', async (path: string, { method = 'GET' }: RequestInit = {}) => {
    requests.push(`${method} ${path}`);
    return new Response(null, { headers: { 'Upload-Offset': String(sentBytes) } });
  });
  localStorage.setItem(
    'tus::talk',
    JSON.stringify({ size: 4, metadata: { filename: 'Talk.wav' }, uploadUrl: '/api/uploads/AA-Talk.wav' }),
  );
});

afterEach(() => {
  for (const { id } of uploads.value) removeUpload(id);
});

/** Adds the file twice; the first upload is paused. */
async function addTwice(): Promise<{ first: number; second: number }> {
  addFiles([file]);
  const [first = 0] = uploads.value.map(({ id }) => id);
  await vi.waitFor(() => expect(created).toHaveLength(1));
  pauseUpload(first);
  addFiles([file]);
  const [, second = 0] = uploads.value.map(({ id }) => id);
  await vi.waitFor(() => expect(created).toHaveLength(2));
  return { first, second };
}

/** So many tabs send the file now. */
function lock(tabs: number): void {
  const held = Array.from({ length: tabs }, () => ({ name: 'holdfast-upload 4 Talk.wav' }));
  vi.stubGlobal('navigator', { locks: { query: async () => await Promise.resolve({ held }) } });
}

/** Time for everything that needs no further event. */
const settle = async () => await new Promise((resolve) => void setTimeout(resolve, 20));

const states = () => uploads.value.map(({ id, state }) => [id, state]);

test('a file that is chosen again finishes in place of its paused row', async () => {
  const { second } = await addTwice();
  created[1]?.finish();
  await vi.waitFor(() => expect(states()).toEqual([[second, 'uploaded']]));
});

test('cancelling the paused row of an upload that another row finished keeps the upload of the run', async () => {
  const { first, second } = await addTwice();
  chooseResults([first], choice('one'));
  chooseResults([second], choice('two'));
  created[1]?.finish();
  await vi.waitFor(() => expect(states()).toEqual([[first, 'paused']]));
  removeUpload(first);
  await vi.waitFor(() => expect(uploads.value).toEqual([]));
  expect([created.map(({ isRemoved }) => isRemoved), requests]).toEqual([[false, false], []]);
});

test('cancelling the paused row of an upload that another row sends lets the other row finish', async () => {
  const { first, second } = await addTwice();
  removeUpload(first);
  expect(created.map(({ isRemoved }) => isRemoved)).toEqual([false, false]);
  created[1]?.finish();
  await vi.waitFor(() => expect(states()).toEqual([[second, 'uploaded']]));
});

test.each([
  ['a sign-out', signOut],
  ['a sign-in by another owner', openSession],
] as const)('%s ends the uploads before it loads the page again, so that no prompt stops it', async (_, act) => {
  let isSure: boolean;
  /** Whether the page has asked the person before it was left. */
  const asked: boolean[] = [];
  const reload = () => void asked.push(!dispatchEvent(new Event('beforeunload', { cancelable: true })));
  vi.stubGlobal('location', { pathname: '/', search: '', reload });
  vi.stubGlobal('confirm', () => isSure);
  const view = { version: '1', scopes: ['run' as const], hasTokens: true, uploads: { maxBytes: 10 } };
  vi.spyOn(HoldfastClient.prototype, 'presets').mockResolvedValue([]);
  const opened = vi.spyOn(HoldfastClient.prototype, 'session').mockResolvedValue({ ...view, owner: 'anna' });
  await openSession();
  addFiles([file, new File(['wave'], 'Second.wav'), new File(['wave'], 'Third.wav')]);
  chooseResults([uploads.value[0]?.id ?? 0], choice('one'));
  await vi.waitFor(() => expect(created).toHaveLength(2));
  opened.mockResolvedValue({ ...view, owner: 'bert' });
  isSure = false;
  await signOut();
  // A person who stays keeps the uploads.
  expect([asked, uploads.value.length, requests]).toEqual([[], 3, []]);
  isSure = true;
  await act();
  for (const { finish } of created) finish();
  // A run or a third upload would begin now.
  await settle();
  expect([asked, uploads.value, created.length]).toEqual([[false], [], 2]);
  expect(holdfast.start).not.toHaveBeenCalled();
});

test.each([
  [2, 'nothing', ['HEAD', 'DELETE']],
  [4, 'a run', ['HEAD']],
  [2, 'another tab', []],
])(
  'an upload of an earlier visit with %i of 4 bytes that %s uses is discarded only if it is unused',
  async (...row) => {
    const [sent, user, expected] = row;
    sentBytes = sent;
    const key = 'tus::talk';
    const entry = JSON.parse(localStorage.getItem(key) ?? '') as object;
    if (user === 'a run') localStorage.setItem(key, JSON.stringify({ ...entry, mayHaveRun: true }));
    if (user === 'another tab') lock(1);
    const path = '/api/uploads/AA-Talk.wav';
    const upload = { key, id: 'AA-Talk.wav', name: 'Talk.wav', bytes: 4, type: '', path, sent: 2 };
    unfinishedUploads.value = [upload];
    await discardUnfinished(upload);
    expect(requests).toEqual(expected.map((method) => `${method} ${path}`));
    expect([unfinishedUploads.value, localStorage.getItem(key) !== null]).toEqual([[], user === 'another tab']);
  },
);

test.each([
  ['paused', 0, true],
  ['paused', 1, false],
  ['sending', 1, true],
  ['sending', 2, false],
] as const)(
  'cancelling a %s row while %i tabs send its file deletes the upload: %s',
  async (state, tabs, isRemoved) => {
    addFiles([file]);
    await vi.waitFor(() => expect(created).toHaveLength(1));
    await settle();
    const [id = 0] = uploads.value.map((upload) => upload.id);
    if (state === 'paused') pauseUpload(id);
    lock(tabs);
    removeUpload(id);
    expect(uploads.value).toEqual([]);
    await settle();
    expect(created).toMatchObject([{ isRemoved, isEnded: true }]);
  },
);
