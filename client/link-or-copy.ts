import { constants } from 'node:fs';
import { copyFile, link } from 'node:fs/promises';
import { lacksLinks } from '../contract/file-refusal.ts';

/** Links the file if the disk has links, and copies it otherwise. Replaces nothing, unlike a rename. */
export async function linkOrCopy(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (!lacksLinks(error)) throw error;
    await copyFile(draft, path, constants.COPYFILE_EXCL);
  }
}
