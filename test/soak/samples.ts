import { readdirSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { heldBytes } from '../support/heap.ts';
import type { TestProcess } from '../support/process.ts';
import type { Course } from './verdict.ts';

const mebi = 2 ** 20;

/** Resources of a process at one moment. */
export interface ProcessSample {
  /** V8's heap and buffers after a full collection. */
  heldMebibytes: number;
  residentMebibytes: number;
  fileDescriptors: number;
}

/** Throws with the last output of a process that has ended. */
export async function sampleProcess(process: TestProcess): Promise<ProcessSample> {
  const status = await readFile(`/proc/${process.pid}/status`, 'latin1').catch(async () => {
    const { code, signal } = await process.exited;
    throw new Error(`a process that nobody stopped has ended with ${signal ?? code}:\n${process.output.slice(-3_000)}`);
  });
  return {
    heldMebibytes: (await heldBytes({ process })) / mebi,
    residentMebibytes: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024,
    fileDescriptors: readdirSync(`/proc/${process.pid}/fd`).length,
  };
}

/** MiB of files in a folder; files may come and go meanwhile. */
export async function folderMebibytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => (await stat(join(parentPath, name)).catch(() => ({ size: 0 }))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / mebi;
}

export interface SoakSample {
  atSeconds: number;
  /** Processes that are never killed, by name. */
  processes: Record<string, ProcessSample>;
  scratchMebibytes: number;
  busy: number;
  open: number;
  ended: number;
  /** Kills, deploys and faults so far. */
  strikes: number;
}

export function courseOf(samples: readonly SoakSample[], value: (sample: SoakSample) => number | undefined): Course {
  return samples.flatMap((sample) => {
    const found = value(sample);
    return found === undefined ? [] : [[sample.atSeconds, found] as const];
  });
}
