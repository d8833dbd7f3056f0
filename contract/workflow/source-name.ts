import { z } from 'zod';
import { unprintable } from './owner-name.ts';

/** Longer names do not exist in common file systems. */
const mostCharacters = 255;

/** Name of a run's original file. */
export const SourceName = z
  .string()
  .regex(new RegExp(String.raw`^(?=.*\S)[^${unprintable}]{1,${mostCharacters}}$`, 'u'), {
    error: `must be a name of 1 to ${mostCharacters} characters on one line`,
  });

/** Name of a file without what `SourceName` refuses; undefined if nothing remains. */
export function toSourceName(fileName: string): string | undefined {
  const printable = fileName.replaceAll(new RegExp(`[${unprintable}]`, 'gu'), '').slice(0, mostCharacters);
  return SourceName.safeParse(printable).data;
}
