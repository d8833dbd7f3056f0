import { z } from 'zod';
import type { Presets } from '../contract/presets.ts';
import { PresetsFileError, withOwnPresets } from '../contract/presets-file.ts';
import { readSettingFile } from './setting-file.ts';

/** PRESETS_FILE: its presets and those of Holdfast. */
export const PresetsSetting = z
  .string()
  .optional()
  .transform((path, context): Presets => {
    try {
      return withOwnPresets(path, readSettingFile);
    } catch (error) {
      if (!(error instanceof PresetsFileError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
