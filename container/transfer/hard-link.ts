import { link } from 'node:fs/promises';
import { lacksLinks } from '../../contract/file-refusal.ts';

/**
 * Makes a hard link, which copies nothing and survives the removal of the other name. Returns false if the disk or its
 * rules forbid it.
 */
export async function tryLink(path: string, target: string): Promise<boolean> {
  try {
    await link(path, target);
    return true;
  } catch (error) {
    if (lacksLinks(error)) return false;
    throw error;
  }
}
