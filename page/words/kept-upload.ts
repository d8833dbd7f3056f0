/** An upload that the browser remembers until a run of it starts. */
export interface KeptUpload {
  /** Key in the browser's storage. */
  key: string;
  /** Id of the upload at the server. */
  id: string;
  name: string;
  bytes: number;
  /** Media type; empty if unknown. */
  type: string;
  /** Path of the upload at the server. */
  path: string;
  /** Number of the parts that the bucket has confirmed; undefined for an upload to the server itself. */
  confirmedParts?: number;
  /** Set if a run of the upload was started, perhaps without an answer. */
  mayHaveRun?: true;
  /** Time at which the server or the bucket first knew nothing of the upload. */
  goneAtMs?: number;
}

export const bucketPrefix = 'holdfast-upload ';
const bucketPath = '/api/uploads/s3/';

/** Reads an entry of the browser's storage: `tus::…` as tus-js-client writes it, or one of an upload to a bucket. */
export function readKeptUpload(key: string, value: string): KeptUpload | undefined {
  try {
    const kept = JSON.parse(value) as Record<string, unknown>;
    if (key.startsWith(bucketPrefix)) {
      const [name, type, bytes] = JSON.parse(key.slice(bucketPrefix.length)) as unknown[];
      const id = String(kept['id']);
      const confirmedParts = (kept['parts'] as unknown[]).length;
      const path = bucketPath + encodeURIComponent(id);
      return checked({ key, id, name, bytes, type, path, confirmedParts, ...notesOf(kept) });
    }
    if (!key.startsWith('tus::')) return undefined;
    const { filename: name, filetype: type = '' } = kept['metadata'] as Record<string, unknown>;
    // The server's `Location` may be relative.
    const path = new URL(String(kept['uploadUrl']), 'http://server').pathname;
    const id = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
    return checked({ key, id, name, bytes: kept['size'], type, path, ...notesOf(kept) });
  } catch {
    return undefined;
  }
}

/** Facts that the page adds to the entry of an upload. */
export type KeptNotes = Pick<KeptUpload, 'mayHaveRun' | 'goneAtMs'>;

function notesOf({ mayHaveRun, goneAtMs }: Record<string, unknown>): KeptNotes {
  return {
    ...(mayHaveRun === true && { mayHaveRun }),
    ...(typeof goneAtMs === 'number' && { goneAtMs }),
  };
}

type ReadUpload = Omit<KeptUpload, 'name' | 'bytes' | 'type'> & Record<'name' | 'bytes' | 'type', unknown>;

function checked({ name, bytes, type, ...upload }: ReadUpload): KeptUpload | undefined {
  const isValid = typeof name === 'string' && typeof bytes === 'number' && typeof type === 'string';
  return isValid && upload.path.startsWith('/api/uploads/') ? { ...upload, name, bytes, type } : undefined;
}

export function isToBucket({ confirmedParts }: KeptUpload): boolean {
  return confirmedParts !== undefined;
}
