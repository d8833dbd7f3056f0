import { rename, rm } from 'node:fs/promises';
import { OutputFile } from './output-file.ts';
import type { WindowedFile } from './windowed-file.ts';

/** New bytes, or a byte range of the old file; `to` is exclusive. */
export type SplicePart = Buffer | { from: number; to: number };

/**
 * Replaces a file with a mix of new bytes and ranges of the old file. `onCopied` is called after each range; the copy
 * ends if it throws.
 */
export async function spliceFile(
  path: string,
  file: WindowedFile,
  parts: readonly SplicePart[],
  onCopied: () => void,
): Promise<void> {
  await replaceFile(path, async (output) => {
    for (const part of parts) {
      if (Buffer.isBuffer(part)) await output.append(part);
      else await copyStretch(file, part, output, onCopied);
    }
  });
}

/**
 * Replaces a file with what `writeContent` writes, once that is complete. Processes that have the old file open can go
 * on reading it.
 */
export async function replaceFile(path: string, writeContent: (output: OutputFile) => Promise<void>): Promise<void> {
  const replacement = `${path}.new`;
  try {
    await OutputFile.write(replacement, writeContent);
    await rename(replacement, path);
  } catch (error) {
    await rm(replacement, { force: true });
    throw error;
  }
}

const stepBytes = 1024 ** 2;

/** Copies a byte range; `to` is exclusive. `onCopied` is called after each piece. */
export async function copyStretch(
  file: WindowedFile,
  { from, to }: { from: number; to: number },
  output: OutputFile,
  onCopied = (): void => {},
): Promise<void> {
  for (let at = from; at < to;) {
    const bytes = await file.read(at, Math.min(stepBytes, to - at));
    if (bytes.length === 0) throw new RangeError(`the file ends at ${at} and not at ${to}`);
    await output.append(bytes);
    at += bytes.length;
    onCopied();
  }
}
