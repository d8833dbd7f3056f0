import { errnoOf } from './unknown-values.ts';

/** File system errors that the path causes; a retry would meet them again. */
const refusals = new Set([
  'EACCES',
  'EBUSY',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'EPERM',
  'EROFS',
]);

export function isFileRefusal(error: unknown): boolean {
  return refusals.has(errnoOf(error) ?? '');
}
