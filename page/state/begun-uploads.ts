import type { BegunS3Upload } from '../../api-client/s3-upload.ts';

/** Uploads to a bucket: they go on when the same file is dropped after the page was closed. */
export const begunUploads = {
  find(file: File): BegunS3Upload | undefined {
    const kept = localStorage.getItem(placeOf(file));
    return kept === null ? undefined : (JSON.parse(kept) as BegunS3Upload);
  },
  keep(file: File, begun: BegunS3Upload): void {
    try {
      localStorage.setItem(placeOf(file), JSON.stringify(begun));
    } catch {
      // It is full, and the upload goes on all the same: after the page was closed it would begin anew.
    }
  },
  forget(file: File): void {
    localStorage.removeItem(placeOf(file));
  },
};

function placeOf({ name, type, size, lastModified }: File): string {
  return `holdfast-upload ${JSON.stringify([name, type, size, lastModified])}`;
}
