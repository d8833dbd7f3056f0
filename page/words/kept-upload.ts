/** An unfinished upload that the browser remembers. */
export interface KeptUpload {
  /** Key in the browser's storage. */
  key: string;
  name: string;
  bytes: number;
  /** Path of the upload at the server. */
  path: string;
}

export const bucketPrefix = 'holdfast-upload ';
const bucketPath = '/api/uploads/s3/';

/** Reads an entry of the browser's storage: `tus::…` as tus-js-client writes it, or one of an upload to a bucket. */
export function readKeptUpload(key: string, value: string): KeptUpload | undefined {
  try {
    const kept = JSON.parse(value) as Record<string, unknown>;
    if (key.startsWith(bucketPrefix)) {
      const [name, , bytes] = JSON.parse(key.slice(bucketPrefix.length)) as unknown[];
      return checked(key, name, bytes, bucketPath + encodeURIComponent(String(kept['id'])));
    }
    if (!key.startsWith('tus::')) return undefined;
    const { filename } = kept['metadata'] as Record<string, unknown>;
    // The server's `Location` may be relative.
    return checked(key, filename, kept['size'], new URL(String(kept['uploadUrl']), 'http://server').pathname);
  } catch {
    return undefined;
  }
}

function checked(key: string, name: unknown, bytes: unknown, path: string): KeptUpload | undefined {
  const isValid = typeof name === 'string' && typeof bytes === 'number' && path.startsWith('/api/uploads/');
  return isValid ? { key, name, bytes, path } : undefined;
}

export function isToBucket({ path }: KeptUpload): boolean {
  return path.startsWith(bucketPath);
}
