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
