import { signal } from '@preact/signals';
import { ServerConnection } from '../../api-client/connection.ts';
import type { S3UploadView } from '../../contract/server/s3-upload.ts';
import { messageOf, statusOf } from '../api/holdfast.ts';
import { readToken } from '../api/token.ts';
import { isToBucket, type KeptUpload, readKeptUpload } from '../words/kept-upload.ts';
import { tell } from './notices.ts';

export interface UnfinishedUpload extends KeptUpload {
  sent: number;
}

/** Uploads of earlier visits that the server still has. Choosing the file again resumes them. */
export const unfinishedUploads = signal<readonly UnfinishedUpload[]>([]);

const connection = new ServerConnection({ token: readToken });
const tusHeaders = { 'Tus-Resumable': '1.0.0' };

export async function findUnfinished(): Promise<void> {
  const kept = Object.keys(localStorage).flatMap((key) => readKeptUpload(key, localStorage.getItem(key) ?? '') ?? []);
  const sending = await lockedNames();
  const found = await Promise.all(kept.filter((upload) => !sending.has(lockOf(upload))).map(ask));
  unfinishedUploads.value = found.filter(
    (upload) => upload !== undefined && upload.key in localStorage,
  ) as UnfinishedUpload[];
}

/** Undefined if the server no longer has the upload, or does not answer. */
async function ask(kept: KeptUpload): Promise<UnfinishedUpload | undefined> {
  try {
    if (isToBucket(kept)) {
      const response = await connection.request('GET', kept.path);
      const { uploaded, partBytes } = (await response.json()) as S3UploadView;
      return { ...kept, sent: Math.min(kept.bytes, uploaded.length * partBytes) };
    }
    const { headers } = await connection.request('HEAD', kept.path, { headers: tusHeaders });
    return { ...kept, sent: Number(headers.get('Upload-Offset')) };
  } catch (error) {
    // A bucket may have completed the upload; then its entry still saves sending the file again.
    if (!isToBucket(kept) && [404, 410].includes(statusOf(error) ?? 0)) localStorage.removeItem(kept.key);
    return undefined;
  }
}

/** Deletes what the server has received. */
export async function discardUnfinished(upload: UnfinishedUpload): Promise<void> {
  try {
    await connection.request('DELETE', upload.path, { headers: isToBucket(upload) ? {} : tusHeaders });
  } catch (error) {
    if (statusOf(error) !== 404) return tell('problem', messageOf(error));
  }
  localStorage.removeItem(upload.key);
  unfinishedUploads.value = unfinishedUploads.value.filter(({ key }) => key !== upload.key);
}

/** Called when the file was chosen again, and when its upload has ended. */
export function takeUnfinished({ name, size }: File): void {
  unfinishedUploads.value = unfinishedUploads.value.filter((upload) => upload.name !== name || upload.bytes !== size);
}

/** Holds a lock, by which other tabs know that the upload is under way. Browsers offer locks only over https and on localhost. */
export async function whileLocked<Result>(file: File, act: () => Promise<Result>): Promise<Result> {
  if (!('locks' in navigator)) return await act();
  return await navigator.locks.request(lockOf({ name: file.name, bytes: file.size }), { mode: 'shared' }, act);
}

async function lockedNames(): Promise<Set<string | undefined>> {
  if (!('locks' in navigator)) return new Set();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.map(({ name }) => name));
}

function lockOf({ name, bytes }: Pick<KeptUpload, 'name' | 'bytes'>): string {
  return `holdfast-upload ${bytes} ${name}`;
}
