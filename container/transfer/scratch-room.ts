import { statfs } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';

/** Room on the scratch disk for one download. */
export interface ScratchRoom {
  /** Reserves room before the first byte. Throws `disk_full` if a file of this size does not fit. */
  claim(bytes: number): Promise<void>;
  /** Reserves room for a file of unknown length that has grown to `bytes`. */
  grow(bytes: number): Promise<void>;
  /** Frees the room when the file is gone. */
  release(): void;
}

export type FreeBytes = () => Promise<number>;

export async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function shownBytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

function noRoom(bytes: number, room: number): ServiceError {
  const sentence = `The source of ${shownBytes(bytes)} does not fit on the scratch disk of the encoding service, where ${shownBytes(room)} are free for it. Please retry later.`;
  return new ServiceError('disk_full', sentence, { details: { neededBytes: bytes, freeBytes: room } });
}

/** Room for the source of a job, which may use the whole disk. */
export function jobRoom(freeBytes: FreeBytes): ScratchRoom {
  return {
    async claim(bytes) {
      const free = await freeBytes();
      if (bytes > free) throw noRoom(bytes, free);
    },
    // The disk itself reports when it is full.
    async grow() {},
    release() {},
  };
}

/** Step by which room grows for a source of unknown length. */
const stepBytes = 16 * 1024 ** 2;

/** Room for inspections beside a job: together they use at most half of the free space. */
export class SharedRoom {
  #claimed = 0;

  room(freeBytes: FreeBytes): ScratchRoom {
    let own = 0;
    const claim = async (bytes: number): Promise<void> => {
      if (bytes <= own) return;
      // Bytes that are both claimed and written count twice, in favour of the job.
      const half = Math.floor((await freeBytes()) / 2);
      const others = this.#claimed - own;
      if (others + bytes > half) throw noRoom(bytes, Math.max(0, half - others));
      this.#claimed += bytes - own;
      own = bytes;
    };
    return {
      claim,
      grow: async (bytes) => {
        if (bytes > own) await claim(Math.ceil(bytes / stepBytes) * stepBytes);
      },
      release: () => {
        this.#claimed -= own;
        own = 0;
      },
    };
  }
}
