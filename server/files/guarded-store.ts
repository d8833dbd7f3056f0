import { statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { FileStore } from '@tus/file-store';
import { ProblemError } from '../problem-error.ts';

/** Disk space that uploads leave to the containers and to Temporal. */
const reservedBytes = 512 * 1024 * 1024;
/** Bytes written between two checks of the free space. */
const stepBytes = 16 * 1024 * 1024;

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Throws `insufficient_storage` if the disk would have too little left. */
export function requireRoom(bytes: number, free: number, shown: string): void {
  if (bytes <= free - reservedBytes) return;
  throw new ProblemError('insufficient_storage', `The server's disk has no room for ${shown}.`);
}

/**
 * A tus store that never fills its disk. A check at the start is not enough: a length may be unknown, and several
 * uploads may arrive together.
 */
export class GuardedStore extends FileStore {
  readonly #free: () => Promise<number>;

  constructor(options: ConstructorParameters<typeof FileStore>[0], free = async () => freeBytes(options.directory)) {
    super(options);
    this.#free = free;
  }

  async requireRoom(bytes: number, shown: string): Promise<void> {
    requireRoom(bytes, await this.#free(), shown);
  }

  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    let full: unknown;
    const requireStep = async (): Promise<void> => {
      await this.requireRoom(stepBytes, 'more of the upload').catch((error: unknown) => {
        full = error;
        throw error;
      });
    };
    async function* whileThereIsRoom(): AsyncGenerator<Uint8Array> {
      let uncheckedBytes = stepBytes;
      for await (const part of readable as AsyncIterable<Uint8Array>) {
        if (uncheckedBytes >= stepBytes) {
          await requireStep();
          uncheckedBytes = 0;
        }
        uncheckedBytes += part.length;
        yield part;
      }
    }
    try {
      return await super.write(Readable.from(whileThereIsRoom()), id, offset);
    } catch (error) {
      // FileStore's own error hides the reason.
      throw full ?? error;
    }
  }
}
