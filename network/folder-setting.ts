import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** A folder of this machine, such as MEDIA_ROOT. */
export const FolderSetting = z
  .string()
  .refine(isAbsolute, { error: 'must be an absolute path' })
  .refine((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false, {
    error: 'must be an existing folder',
  });
