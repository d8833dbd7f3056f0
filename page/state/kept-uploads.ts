import { signal } from '@preact/signals';
import { ServerConnection } from '../../api-client/connection.ts';
import type { FileUpload } from '../../api-client/file-upload.ts';
import type { CompletedS3Upload, S3UploadView } from '../../contract/server/s3-upload.ts';
import { messageOf, statusOf } from '../api/holdfast.ts';
import { readToken } from '../api/token.ts';
import { isToBucket, type KeptNotes, type KeptUpload, readKeptUpload } from '../words/kept-upload.ts';
import { tell } from './notices.ts';

export interface UnfinishedUpload extends KeptUpload {
  sent: number;
}

/** An upload of which the server has all bytes. */
export interface FinishedUpload extends KeptUpload {
  /** URL for the input of a run. */
  source: string;
}

/** Uploads of earlier visits that the server still has. Choosing the file again resumes them. */
export const unfinishedUploads = signal<readonly UnfinishedUpload[]>([]);

/**
 * Time for which the server must not know an upload before it is forgotten. The upload may belong to another owner, who
 * uses the same browser. A server removes an upload without progress after a day.
 */
const goneForMs = 86_400_000;

const connection = new ServerConnection({ token: readToken });
const tusHeaders = { 'Tus-Resumable': '1.0.0' };

/** Reads the uploads of earlier visits. Lists the unfinished ones, and returns the finished ones. */
export async function findKept(): Promise<FinishedUpload[]> {
  const sending = await lockedNames();
  const found = await Promise.all(
    keptUploads()
      .filter((upload) => !sending.includes(lockOf(upload)))
      .map(ask),
  );
  const kept = found.filter((upload) => upload !== undefined && upload.key in localStorage);
  unfinishedUploads.value = kept.filter(
    (upload): upload is UnfinishedUpload => upload !== undefined && 'sent' in upload,
  );
  return kept.filter((upload): upload is FinishedUpload => upload !== undefined && 'source' in upload);
}

function keptUploads(): KeptUpload[] {
  return Object.keys(localStorage).flatMap((key) => readKeptUpload(key, localStorage.getItem(key) ?? '') ?? []);
}

/** Undefined if the server no longer has the upload, or does not answer. */
async function ask(kept: KeptUpload): Promise<UnfinishedUpload | FinishedUpload | undefined> {
  try {
    const found = isToBucket(kept) ? await askBucket(kept) : await askServer(kept);
    if (kept.goneAtMs !== undefined) note(kept, { goneAtMs: undefined });
    return found;
  } catch (error) {
    if (isGone(error)) forgetGone(kept);
    return undefined;
  }
}

/** A store, too, may know neither the upload nor the file while another server joins the parts. */
function forgetGone(kept: KeptUpload): void {
  const { goneAtMs = Date.now() } = kept;
  if (Date.now() - goneAtMs >= goneForMs) localStorage.removeItem(kept.key);
  else note(kept, { goneAtMs });
}

async function askServer(kept: KeptUpload): Promise<UnfinishedUpload | FinishedUpload> {
  const { headers } = await connection.request('HEAD', kept.path, { headers: tusHeaders });
  const sent = Number(headers.get('Upload-Offset'));
  return sent === kept.bytes ? { ...kept, source: `upload:${kept.id}` } : { ...kept, sent };
}

async function askBucket(kept: KeptUpload): Promise<UnfinishedUpload | FinishedUpload> {
  const view = await connection.request('GET', kept.path).then(
    async (response) => (await response.json()) as S3UploadView,
    (error: unknown) => {
      if (!isGone(error)) throw error;
    },
  );
  if (view !== undefined && kept.confirmedParts !== view.parts) {
    return { ...kept, sent: Math.min(kept.bytes, view.uploaded.length * view.partBytes) };
  }
  // The store joins the parts now, or has done so already.
  const completed = await connection.request('POST', `${kept.path}/complete`);
  return { ...kept, source: ((await completed.json()) as CompletedS3Upload).source };
}

function isGone(error: unknown): boolean {
  return [404, 410].includes(statusOf(error) ?? 0);
}

interface BegunUpload {
  named: Pick<File, 'name' | 'size'>;
  upload?: FileUpload;
  uploadId?: string | undefined;
}

/** Ends an upload of this tab, and deletes it unless another tab sends it. `ownLocks`: locks of the file in this tab. */
export async function discardBegun({ named, upload, uploadId }: BegunUpload, ownLocks: number): Promise<void> {
  if ((await locksOf(named)) > ownLocks) return await upload?.pause();
  if (uploadId !== undefined) forgetKept(uploadId);
  await upload?.remove().catch(() => undefined);
}

/** Deletes what the server has received of an unfinished upload. */
export async function discardUnfinished(upload: UnfinishedUpload): Promise<void> {
  // Another tab may send it now. The browser keeps it for that tab.
  const named = { name: upload.name, size: upload.bytes };
  if ((await locksOf(named)) > 0) return takeUnfinished(named);
  // Another tab may have finished it.
  const found = isToBucket(upload) ? undefined : await ask(upload);
  if (found !== undefined && 'source' in found) await discardFinished(upload.id);
  else if (!(await remove(upload))) return;
  localStorage.removeItem(upload.key);
  unfinishedUploads.value = unfinishedUploads.value.filter(({ key }) => key !== upload.key);
}

/**
 * Deletes a finished upload, unless a run of it was started, perhaps without an answer, or another tab starts one now. A
 * bucket keeps the file.
 */
export async function discardFinished(id: string): Promise<void> {
  const kept = keptUploads().filter((upload) => upload.id === id);
  forgetKept(id);
  const used = await lockedNames();
  const isUsed = (upload: KeptUpload): boolean => upload.mayHaveRun === true || used.includes(lockOf(upload));
  await Promise.all(kept.filter((upload) => !isUsed(upload)).map(remove));
}

/** True if the server no longer has the upload. */
async function remove(upload: KeptUpload): Promise<boolean> {
  try {
    await connection.request('DELETE', upload.path, { headers: isToBucket(upload) ? {} : tusHeaders });
    return true;
  } catch (error) {
    if (isGone(error)) return true;
    tell('problem', messageOf(error));
    return false;
  }
}

/** Called when a run of the upload has started. */
export function forgetKept(id: string): void {
  for (const kept of keptUploads()) if (kept.id === id) localStorage.removeItem(kept.key);
}

/** Called before a run of the upload is started, and with undefined after the server has refused the run. */
export function noteStart(id: string, mayHaveRun: true | undefined): void {
  for (const kept of keptUploads()) if (kept.id === id) note(kept, { mayHaveRun });
}

function note({ key }: KeptUpload, notes: { [Name in keyof KeptNotes]: KeptNotes[Name] | undefined }): void {
  const entry = localStorage.getItem(key);
  // Another tab may have forgotten the upload while the server was asked.
  if (entry === null) return;
  try {
    localStorage.setItem(key, JSON.stringify({ ...(JSON.parse(entry) as object), ...notes }));
  } catch {
    // The storage is full. Without its entry, the upload is not deleted.
    localStorage.removeItem(key);
  }
}

/** Called when the file was chosen again, when its upload has ended, and when another tab sends it. */
export function takeUnfinished({ name, size }: Pick<File, 'name' | 'size'>): void {
  unfinishedUploads.value = unfinishedUploads.value.filter((upload) => upload.name !== name || upload.bytes !== size);
}

/**
 * Holds a lock, by which other tabs know that the upload is under way or that its run starts. Browsers offer locks only
 * over https and on localhost.
 */
export async function whileLocked<Result>(
  { name, size: bytes }: Pick<File, 'name' | 'size'>,
  act: () => Promise<Result>,
): Promise<Result> {
  if (!('locks' in navigator)) return await act();
  return await navigator.locks.request(lockOf({ name, bytes }), { mode: 'shared' }, act);
}

/** Number of uploads of the file, and of starts of its run, in all tabs. */
async function locksOf({ name, size: bytes }: Pick<File, 'name' | 'size'>): Promise<number> {
  return (await lockedNames()).filter((locked) => locked === lockOf({ name, bytes })).length;
}

async function lockedNames(): Promise<(string | undefined)[]> {
  if (!('locks' in navigator)) return [];
  const { held = [] } = await navigator.locks.query();
  return held.map(({ name }) => name);
}

function lockOf({ name, bytes }: Pick<KeptUpload, 'name' | 'bytes'>): string {
  return `holdfast-upload ${bytes} ${name}`;
}
