import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Presets } from '../contract/presets.ts';
import { PresetsFileError, withOwnPresets } from '../contract/presets-file.ts';

/** Far above any file that people write. */
const mostPresetsBytes = 1024 ** 2;

/** A pipe or a device would hold up the start of the process without a message. */
function readPresetsFile(path: string): string {
  const facts = statSync(path);
  if (!facts.isFile()) throw new Error('it is not a file');
  if (facts.size > mostPresetsBytes) throw new Error(`it has more than ${mostPresetsBytes} bytes`);
  return readFileSync(path, 'utf8');
}

/** PRESETS_FILE: its presets and those of Holdfast. */
export const PresetsSetting = z
  .string()
  .optional()
  .transform((path, context): Presets => {
    try {
      return withOwnPresets(path, readPresetsFile);
    } catch (error) {
      if (!(error instanceof PresetsFileError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
