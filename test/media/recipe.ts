import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { textOf } from '../support/project-files.ts';
import { createSignal, type SignalShape } from './signal.ts';
import { wavFile } from './wav.ts';

const execute = promisify(execFile);

/** Instructions to make a file. Equal keys yield equal files. */
export interface Recipe {
  readonly key: string;
  /** File extension with its dot, by which ffmpeg chooses the format. */
  readonly extension: string;
  write(path: string): Promise<void>;
}

const cacheFolder = join(tmpdir(), 'holdfast-test-media', 'kinds');

/** Code that recipes use; when it changes, all files are made again. */
const version = ['support/random', 'media/recipe', 'media/signal', 'media/wav']
  .map((name) => textOf(`test/${name}.ts`))
  .join('');

const underWay = new Map<string, Promise<string>>();

/** Path of the file, which is made once and cached in the system's temp folder. */
export async function fileOf(recipe: Recipe): Promise<string> {
  const name = createHash('sha256').update(version).update(recipe.key).digest('hex').slice(0, 24);
  const path = join(cacheFolder, `${name}${recipe.extension}`);
  const making = underWay.get(path) ?? makeOnce(recipe, path);
  underWay.set(path, making);
  return await making;
}

async function makeOnce(recipe: Recipe, path: string): Promise<string> {
  if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  await mkdir(cacheFolder, { recursive: true });
  const partial = join(cacheFolder, `${randomUUID()}${recipe.extension}`);
  try {
    await recipe.write(partial);
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
  return path;
}

async function ffmpeg(args: readonly string[]): Promise<void> {
  await execute('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args]);
}

export function signal(shape: SignalShape = {}): Recipe {
  const { sampleRate = 44_100, channels = 1 } = shape;
  return {
    key: `signal ${JSON.stringify(shape)}`,
    extension: '.wav',
    async write(path) {
      const data = Buffer.from(createSignal(shape).buffer);
      await writeFile(path, wavFile({ tag: 3, channels, sampleRate, bitsPerSample: 32 }, data));
    },
  };
}

/** Splits a command line without quotes into arguments. */
export const words = (commandLine: string): string[] => commandLine.split(' ');

/** Made by ffmpeg from another file: `transcoded(signal(), '.mp3', '-b:a', '128k')`. */
export function transcoded(input: Recipe, extension: string, ...args: readonly string[]): Recipe {
  return muxed([input], extension, ...args);
}

/** Made by ffmpeg from several files, including experimental formats. */
export function muxed(inputs: readonly Recipe[], extension: string, ...args: readonly string[]): Recipe {
  return {
    key: `ffmpeg ${extension} ${JSON.stringify(args)} (${inputs.map(({ key }) => key).join(', ')})`,
    extension,
    async write(path) {
      const paths = await Promise.all(inputs.map(fileOf));
      await ffmpeg([...paths.flatMap((input) => ['-i', input]), ...args, '-strict', '-2', path]);
    },
  };
}

export function edited(input: Recipe, edit: (bytes: Buffer) => Buffer, ...facts: readonly unknown[]): Recipe {
  return {
    key: `edited ${edit.toString()} ${JSON.stringify(facts)} (${input.key})`,
    extension: input.extension,
    async write(path) {
      await writeFile(path, edit(await readFile(await fileOf(input))));
    },
  };
}

export function joined(...inputs: readonly Recipe[]): Recipe {
  return {
    key: `joined (${inputs.map(({ key }) => key).join(', ')})`,
    extension: inputs[0]?.extension ?? '',
    async write(path) {
      const parts = await Promise.all(inputs.map(async (input) => await readFile(await fileOf(input))));
      await writeFile(path, Buffer.concat(parts));
    },
  };
}

export function bytes(extension: string, build: () => Buffer): Recipe {
  return {
    key: `bytes ${extension} ${build.toString()}`,
    extension,
    write: async (path) => await writeFile(path, build()),
  };
}

/** The first part of a file: 0.5 is its first half. */
export function shortened(input: Recipe, share: number): Recipe {
  return edited(input, (whole) => whole.subarray(0, Math.round(whole.length * share)), share);
}
