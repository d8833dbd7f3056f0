import { signal } from '@preact/signals';
import type { Upload } from 'tus-js-client';
import { messageOf } from '../api/call.ts';
import { tokenHeaders } from '../api/token.ts';
import { texts } from '../texts.ts';
import { formatBytes } from '../words/format.ts';
import { tell } from './notices.ts';
import { type PresetView, session } from './session.ts';
import { sendRun } from './start-runs.ts';

/** More would only take turns on one line. */
const atOnce = 2;
/** After it a person decides. What was sent stays at the server. */
const retryDelaysMs = [0, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000];
/** Over which the speed is told. */
const speedWindowMs = 4_000;

export interface UploadView {
  id: number;
  name: string;
  bytes: number;
  sent: number;
  bytesPerSecond: number;
  state: 'waiting' | 'sending' | 'paused' | 'starting' | 'failed';
  message?: string;
}

interface Task {
  file: File;
  preset: PresetView;
  upload?: Upload;
  marks: { atMs: number; sent: number }[];
}

export const uploads = signal<readonly UploadView[]>([]);
const tasks = new Map<number, Task>();
let count = 0;

export function addFiles(files: Iterable<File>, preset: PresetView): void {
  for (const file of files) {
    const most = session.value.state === 'ready' ? session.value.server.uploads?.maxBytes : undefined;
    if (most === undefined) return tell('problem', texts.start.noUploads);
    if (file.size > most) {
      tell('problem', texts.start.tooLarge(file.name, formatBytes(most)));
      continue;
    }
    count += 1;
    tasks.set(count, { file, preset, marks: [] });
    const view: UploadView = {
      id: count,
      name: file.name,
      bytes: file.size,
      sent: 0,
      bytesPerSecond: 0,
      state: 'waiting',
    };
    uploads.value = [...uploads.value, view];
  }
  startNext();
}

export function pauseUpload(id: number): void {
  void tasks.get(id)?.upload?.abort();
  change(id, { state: 'paused', bytesPerSecond: 0 });
  startNext();
}

export function resumeUpload(id: number): void {
  void send(id);
}

/** The server forgets what it has of it. */
export function removeUpload(id: number): void {
  void tasks
    .get(id)
    ?.upload?.abort(true)
    .catch(() => undefined);
  forget(id);
}

function forget(id: number): void {
  tasks.delete(id);
  uploads.value = uploads.value.filter((upload) => upload.id !== id);
  startNext();
}

function change(id: number, facts: Partial<UploadView>): void {
  uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...facts } : upload));
}

function startNext(): void {
  const underWay = uploads.value.filter(({ state }) => state === 'sending' || state === 'starting').length;
  const next = uploads.value.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, atOnce - underWay));
  for (const { id } of next) void send(id);
}

async function send(id: number): Promise<void> {
  const task = tasks.get(id);
  if (task === undefined) return;
  task.marks = [];
  change(id, { state: 'sending' });
  try {
    const upload = (task.upload ??= await createUpload(id, task));
    upload.start();
  } catch (error) {
    change(id, { state: 'failed', message: messageOf(error) });
  }
}

/** Or the one of the same file that was cut when the page was closed. */
async function createUpload(id: number, task: Task): Promise<Upload> {
  const { DetailedError, Upload } = await import('tus-js-client');
  const { file } = task;
  const upload = new Upload(file, {
    ...{ endpoint: '/api/uploads', retryDelays: retryDelaysMs, removeFingerprintOnSuccess: true },
    metadata: { filename: file.name, filetype: file.type },
    headers: tokenHeaders(),
    onProgress: (sent) => change(id, { sent, bytesPerSecond: speedOf(task, sent) }),
    onError: (error) => {
      const answer = error instanceof DetailedError ? error.originalResponse?.getBody() : undefined;
      change(id, { state: 'failed', message: detailOf(answer) ?? texts.upload.cut, bytesPerSecond: 0 });
      startNext();
    },
    onSuccess: () => void finish(id, task, upload),
  });
  const [earlier] = await upload.findPreviousUploads();
  if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
  return upload;
}

async function finish(id: number, { file, preset }: Task, { url }: Upload): Promise<void> {
  change(id, { state: 'starting', sent: file.size });
  const uploadId = decodeURIComponent(url?.split('/').at(-1) ?? '');
  try {
    // The part of the id that is unique, and ASCII.
    const key = uploadId.slice(0, 22);
    await sendRun({ sourceUrl: `upload:${uploadId}`, name: file.name, bytes: file.size, preset, key });
    forget(id);
    tell('said', texts.start.started(file.name));
  } catch (error) {
    change(id, { state: 'failed', message: messageOf(error) });
    startNext();
  }
}

function speedOf({ marks }: Task, sent: number): number {
  const atMs = performance.now();
  marks.push({ atMs, sent });
  while (marks.length > 2 && atMs - (marks[0]?.atMs ?? atMs) > speedWindowMs) marks.shift();
  const [first] = marks;
  return first === undefined || first.atMs === atMs ? 0 : ((sent - first.sent) * 1000) / (atMs - first.atMs);
}

/** The sentence of a problem. tus itself answers in a few words for programs. */
function detailOf(body: string | undefined): string | undefined {
  try {
    return body === undefined ? undefined : (JSON.parse(body) as { detail?: string }).detail;
  } catch {
    return undefined;
  }
}
