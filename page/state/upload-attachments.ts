import { holdfast } from '../api/holdfast.ts';
import { session } from './session.ts';

/** Uploads pictures and subtitle files; returns their URLs. Throws a HoldfastError. */
export async function uploadAttachments(files: readonly File[]): Promise<ReadonlyMap<File, string>> {
  const toBucket = session.value.state === 'ready' && session.value.server.s3Uploads !== undefined;
  const urls = await Promise.all(files.map((file) => holdfast.upload(file, toBucket ? { to: 's3' } : {})));
  return new Map(files.map((file, index) => [file, urls[index] ?? '']));
}
