import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './setup-error.mjs';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** The cache is outside the clone, so that the next clone does not build for minutes again. */
export function cacheFolder() {
  if (process.env.HOLDFAST_CACHE) return process.env.HOLDFAST_CACHE;
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast');
}

export function isExecutableFile(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** First executable of this name on PATH. */
export function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutableFile);
}

/**
 * Path that a variable such as TEMPORAL_CLI_PATH names. A wrong value is an error, not a reason to build for minutes.
 */
export function namedByVariable(variable) {
  const path = process.env[variable];
  if (!path) return undefined;
  if (!isExecutableFile(path)) {
    throw new SetupError(
      `${variable} is "${path}", which is not an executable file. Correct it, or unset it so that set-up finds or builds one.`,
    );
  }
  return path;
}
