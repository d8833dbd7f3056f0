import type { BegunS3Upload } from '../../api-client/s3-upload.ts';
import { bucketPrefix } from '../words/kept-upload.ts';

/** Uploads to a bucket, so that dropping the same file again resumes them, even after the page was closed. */
export const begunUploads = {
  find(file: File): BegunS3Upload | undefined {
    const kept = localStorage.getItem(placeOf(file));
    return kept === null ? undefined : (JSON.parse(kept) as BegunS3Upload);
  },
  keep(file: File, begun: BegunS3Upload): void {
    try {
      localStorage.setItem(placeOf(file), JSON.stringify(begun));
    } catch {
      // If the storage is full, an upload starts over only after the page was closed.
    }
  },
};

function placeOf({ name, type, size, lastModified }: File): string {
  return bucketPrefix + JSON.stringify([name, type, size, lastModified]);
}
