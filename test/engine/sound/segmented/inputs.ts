import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longWav, musicOgg, speechWav, type LongWav } from '../../../support/media.ts';
import { run } from '../../../support/process.ts';

const cacheFolder = join(tmpdir(), 'holdfast-test-media', 'parallel');

/** A file made by ffmpeg, cached in the system's temp folder. */
export async function makeInput(name: string, ffmpegArguments: readonly string[]): Promise<string> {
  const path = join(cacheFolder, name);
  if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  await mkdir(cacheFolder, { recursive: true });
  const partial = join(cacheFolder, `${process.pid}-${name}`);
  const { code, output } = await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...ffmpegArguments, partial]);
  if (code !== 0) {
    await rm(partial, { force: true });
    throw new Error(`ffmpeg could not make ${name}: ${output}`);
  }
  await rename(partial, path);
  return path;
}

export const music = (facts: Omit<LongWav, 'source'>) => longWav({ channels: 2, ...facts, source: musicOgg });
export const speech = (facts: Omit<LongWav, 'source'>) => longWav({ ...facts, source: speechWav });

/** Encodes a file; the extension decides the format. */
export async function encoded(wav: string, name: string, options: readonly string[] = []): Promise<string> {
  return await makeInput(name, ['-i', wav, ...options]);
}
