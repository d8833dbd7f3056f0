import { effect, signal, untracked } from '@preact/signals';
import type { BegunS3Upload } from '../../api-client/s3-upload.ts';
import type { FileUpload } from '../../api-client/file-upload.ts';
import type { SessionView } from '../../contract/server/session.ts';
import { holdfast, messageOf, statusOf } from '../api/holdfast.ts';
import { formatBytes } from '../words/format.ts';
import { addMark, type Mark, speedOf } from '../words/speed.ts';
import type { SendingUpload } from '../words/upload-words.ts';
import { begunUploads } from './begun-uploads.ts';
import {
  discardBegun,
  discardFinished,
  findKept,
  forgetKept,
  noteStart,
  takeUnfinished,
  whileLocked,
} from './kept-uploads.ts';
import { tell } from './notices.ts';
import { connection } from './runs.ts';
import type { Choice } from './new-outputs.ts';
import { session } from './session.ts';
import { sendRun } from './start-runs.ts';
import { laterTexts } from '../later-texts.ts';
import { texts } from '../texts.ts';

/** More concurrent uploads would only share the bandwidth. */
const atOnce = 2;

export interface UploadView extends SendingUpload {
  id: number;
  name: string;
  /** `uploaded`: the server has the file, and the run waits for a choice. */
  state: 'waiting' | 'sending' | 'paused' | 'uploaded' | 'starting' | 'failed';
  /** True once the results of its run are chosen. */
  isChosen: boolean;
  /** URL of the finished upload. */
  source?: string;
  message?: string;
  /** True if the upload failed because the connection was lost. */
  isCut?: boolean;
}

interface Task {
  /** Facts of the file. */
  named: Pick<File, 'name' | 'size' | 'type'>;
  /** Undefined if an earlier visit has sent the file. */
  file?: File | undefined;
  choice?: Choice | undefined;
  upload?: FileUpload;
  /** URL of the finished upload. */
  source?: string | undefined;
  /** Id at the server; of an upload to the server itself only once it is finished. */
  uploadId?: string | undefined;
  /** Identifies the current attempt to send; undefined after a pause or cancel, even while the upload code is still loading. */
  turn?: object | undefined;
  marks: readonly Mark[];
}

export const uploads = signal<readonly UploadView[]>([]);
const tasks = new Map<number, Task>();
let count = 0;

const askBeforeLeaving = (event: Event): void => event.preventDefault();

effect(() => {
  const isUnderWay = uploads.value.some(
    ({ state, isCut }) => isCut === true || !['paused', 'failed', 'uploaded'].includes(state),
  );
  // A listener that is always there would keep the page out of the browser's back/forward cache.
  if (isUnderWay) addEventListener('beforeunload', askBeforeLeaving);
  else removeEventListener('beforeunload', askBeforeLeaving);
});

effect(() => {
  if (session.value.state === 'loading') untracked(endUploads);
});

/** Uploads must not go on under the token of another owner, nor keep the page from being loaded again. */
function endUploads(): void {
  for (const task of tasks.values()) {
    task.turn = undefined;
    void task.upload?.pause();
  }
  tasks.clear();
  uploads.value = [];
}

addEventListener('online', resumeCut);
effect(() => {
  if (connection.value === 'live') untracked(resumeCut);
});

/** Continues the uploads that a lost connection has ended. */
function resumeCut(): void {
  for (const { id, isCut } of uploads.value) if (isCut === true) change(id, { state: 'waiting', isCut: false });
  startNext();
}

/** Begins to upload files. */
export function addFiles(files: Iterable<File>): void {
  for (const file of files) {
    const { uploads: taken, s3Uploads = taken } = serverFacts();
    const most = s3Uploads?.maxBytes;
    // Even with a bucket, the server itself stores the results.
    if (taken === undefined || most === undefined) return tell('problem', texts.start.noUploads);
    if (file.size === 0) {
      tell('problem', laterTexts.upload.empty(file.name));
      continue;
    }
    if (file.size > most) {
      tell('problem', laterTexts.upload.tooLarge(file.name, formatBytes(most)));
      continue;
    }
    takeUnfinished(file);
    addTask({ named: file, file, marks: [] }, { sent: 0, state: 'waiting' });
  }
  startNext();
}

/** Lists the uploads of earlier visits. Finished ones wait for a choice. */
export async function listKept(): Promise<void> {
  for (const { id: uploadId, name, bytes, type, source } of await findKept()) {
    if ([...tasks.values()].some((task) => task.source === source)) continue;
    const named = { name, size: bytes, type };
    addTask({ named, source, uploadId, marks: [] }, { sent: bytes, state: 'uploaded', source });
  }
}

function addTask(task: Task, facts: Pick<UploadView, 'sent' | 'state' | 'source'>): void {
  const { name, size: bytes } = task.named;
  count += 1;
  tasks.set(count, task);
  const view = { id: count, name, bytes, bytesPerSecond: 0, movedAtMs: Date.now(), isChosen: false, ...facts };
  uploads.value = [...uploads.value, view];
}

/** Files whose run has no chosen results. */
export function unchosenFiles(): (Pick<Task, 'named' | 'file'> & { id: number })[] {
  return [...tasks].flatMap(([id, { named, file, choice }]) => (choice === undefined ? [{ id, named, file }] : []));
}

/** Starts a run of each upload as soon as the upload has finished. */
export function chooseResults(ids: readonly number[], choice: Choice): void {
  for (const id of ids) {
    const task = tasks.get(id);
    if (task === undefined) continue;
    task.choice = choice;
    change(id, { isChosen: true });
    if (task.source !== undefined) void send(id);
  }
}

export function pauseUpload(id: number): void {
  const task = tasks.get(id);
  if (task !== undefined) task.turn = undefined;
  void task?.upload?.pause();
  change(id, { state: 'paused', isCut: false, bytesPerSecond: 0 });
  startNext();
}

export function resumeUpload(id: number): void {
  void send(id);
}

/** Cancels the upload and deletes what the server has received, unless another row or tab uses it. */
export function removeUpload(id: number): void {
  const task = tasks.get(id);
  if (task === undefined) return;
  task.turn = undefined;
  if (twinsOf(task).length > 0) void task.upload?.pause();
  else if (task.source === undefined) {
    const own = uploads.value.filter(({ name, bytes }) => name === task.named.name && bytes === task.named.size);
    void discardBegun(task, own.filter(({ state }) => state === 'sending' || state === 'starting').length);
  } else void discardFinished(task.uploadId ?? '');
  forget(id);
}

function forget(id: number): void {
  const task = tasks.get(id);
  if (task !== undefined) takeUnfinished(task.named);
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
  const turn = (task.turn = {});
  task.marks = [];
  change(id, { state: 'sending', isCut: false, movedAtMs: Date.now() });
  try {
    const onProgress = (sent: number): void => {
      task.marks = addMark(task.marks, { atMs: performance.now(), sent });
      change(id, { sent, bytesPerSecond: speedOf(task.marks), movedAtMs: Date.now() });
    };
    if (task.file !== undefined && task.source === undefined) {
      const upload = (task.upload ??= await createUpload(task, task.file, onProgress));
      if (task.turn !== turn) return;
      task.source = await whileLocked(task.file, async () => await upload.send());
      if (task.turn !== turn) return;
      task.uploadId ??= task.source.replace(/^upload:/, '');
      settleTwins(id, task);
    }
    await start(id, task, task.source ?? '');
  } catch (error) {
    // The person paused or cancelled the upload.
    if (error instanceof DOMException && error.name === 'AbortError') return;
    const isCut = statusOf(error) === 0;
    change(id, { state: 'failed', isCut, message: isCut ? wordsOfCut(task) : messageOf(error), bytesPerSecond: 0 });
  }
  startNext();
}

/** Other rows of the same upload: its file was chosen again. */
function twinsOf(task: Task): [id: number, twin: Task][] {
  const uploadId = uploadIdOf(task);
  return uploadId === undefined ? [] : [...tasks].filter(([, one]) => one !== task && uploadIdOf(one) === uploadId);
}

function uploadIdOf({ uploadId, upload }: Task): string | undefined {
  return uploadId ?? upload?.id;
}

/**
 * Twins of a finished upload need not send it. A file that was chosen again takes the place of its earlier row that waits
 * for a choice; a person may be choosing for a later row now.
 */
function settleTwins(id: number, task: Task): void {
  for (const [twinId, twin] of twinsOf(task)) {
    [twin.source, twin.uploadId] = [task.source, task.uploadId];
    if (twin.choice !== undefined || twinId > id) continue;
    twin.turn = undefined;
    void twin.upload?.pause();
    forget(twinId);
  }
}

async function createUpload(task: Task, file: File, onProgress: (sent: number) => void): Promise<FileUpload> {
  if (serverFacts().s3Uploads === undefined) {
    return await holdfast.createUpload(file, { onProgress, rememberFinished: true });
  }
  const kept = begunUploads.find(file);
  // Another task may be uploading the same file for another preset.
  const isTaken = [...tasks.values()].some(({ uploadId, source }) => uploadId === kept?.id && source === undefined);
  const begun = isTaken ? undefined : kept;
  task.uploadId = begun?.id;
  const onBegun = (upload: BegunS3Upload): void => {
    task.uploadId = upload.id;
    begunUploads.keep(file, upload);
  };
  return await holdfast.createUpload(file, { to: 's3', begun, onBegun, onProgress });
}

function serverFacts(): Partial<SessionView> {
  return session.value.state === 'ready' ? session.value.server : {};
}

function wordsOfCut({ uploadId, source }: Task): string {
  const isToBucket = uploadId !== undefined && source === undefined;
  return isToBucket ? laterTexts.upload.cutFromStore : laterTexts.upload.cut;
}

async function start(id: number, task: Task, source: string): Promise<void> {
  const { named, choice } = task;
  change(id, { state: choice === undefined ? 'uploaded' : 'starting', sent: named.size, source });
  if (choice === undefined) return;
  // The unique ASCII part of the upload's id.
  const upload = /([\w-]{22})-[^/]*$/.exec(source)?.[1] ?? source;
  try {
    await whileLocked(named, async () => {
      noteStart(task.uploadId ?? '', true);
      await sendRun({ sourceUrl: source, name: named.name, bytes: named.size, choice, key: `${upload}-${choice.id}` });
      forgetKept(task.uploadId ?? '');
    });
  } catch (error) {
    // The server refuses the choice, so a person must make another one.
    if (statusOf(error) === 400) {
      noteStart(task.uploadId ?? '', undefined);
      task.choice = undefined;
      change(id, { isChosen: false });
    }
    throw error;
  }
  forget(id);
  tell('said', laterTexts.upload.started(named.name));
}
