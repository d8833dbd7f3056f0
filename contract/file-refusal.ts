import { errnoOf } from './unknown-values.ts';

/** Errors that the path, or the kind of its file system, causes; a retry would meet them again. */
const refusals = new Set([
  'EACCES',
  'EBUSY',
  'EEXIST',
  'EFBIG',
  'EINVAL',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPERM',
  'EROFS',
]);

export function isFileRefusal(error: unknown): boolean {
  return refusals.has(errnoOf(error) ?? '');
}

/** Errors of `link` that a copy would meet, too. */
const noCopyEither = new Set(['EDQUOT', 'EEXIST', 'ENOENT', 'ENOSPC', 'EROFS']);

/** Whether `link` failed although a copy may succeed. Disks without hard links answer EPERM, ENOTSUP, ENOSYS or EIO. */
export function lacksLinks(error: unknown): boolean {
  return !noCopyEither.has(errnoOf(error) ?? '');
}
