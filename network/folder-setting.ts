import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A setting that names a folder of this machine, such as MEDIA_ROOT. */
export const FolderSetting = z
  .string()
  .refine(isAbsolute, { error: 'must be an absolute path' })
  .refine(isFolder, { error: 'must be an existing folder' });
