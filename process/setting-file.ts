import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../contract/unknown-values.ts';
import { SettingError } from './settings.ts';

/** Far above any file that people write. */
const mostBytes = 1024 ** 2;

/** Reads the file that a setting names. A pipe or a device would hold up the start of the process without a message. */
export function readSettingFile(path: string): string {
  const facts = statSync(path);
  if (!facts.isFile()) throw new Error('it is not a file');
  if (facts.size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
  return readFileSync(path, 'utf8');
}

/** The same with a SettingError, which begins with the name of the setting. */
export function requireSettingFile(setting: string, path: string): string {
  try {
    return readSettingFile(path);
  } catch (error) {
    throw new SettingError(`${setting} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}
