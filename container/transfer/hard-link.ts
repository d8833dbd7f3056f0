import { link } from 'node:fs/promises';
import { errnoOf } from '../../contract/unknown-values.ts';

/** A hard link copies nothing, and stays when the other name is removed. Answers false where the disk or its rules forbid one. */
export async function tryLink(path: string, target: string): Promise<boolean> {
  try {
    await link(path, target);
    return true;
  } catch (error) {
    if (['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}
