import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../cli-error.ts';
import { describeDiskError } from './disk-error.ts';

interface JsonArgument {
  /** The option, with the path of its file, for errors. */
  where: string;
  json: unknown;
}

/** Reads an option that takes JSON or the path of a JSON file. */
export function readJsonArgument(
  option: string,
  text: string,
  { userFolder, example }: { userFolder: string; example: string },
): JsonArgument {
  const isJson = /^\s*[[{]/.test(text);
  const where = isJson ? option : `${option} ${text}`;
  const content = isJson
    ? text
    : readText(resolve(userFolder, text), `${option} takes JSON such as '${example}'`, text);
  try {
    return { where, json: JSON.parse(content.replace(/^\uFEFF/, '')) as unknown };
  } catch (error) {
    throw new CliError(`${where} is not JSON: ${(error as Error).message}.`);
  }
}

function readText(path: string, form: string, typed: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`${form} or a JSON file. "${typed}" cannot be read: ${describeDiskError(error)}.`);
  }
}
