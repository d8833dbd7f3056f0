/** Proxies between a store and us may take `a/../b` for `b`. */
export function isPlainKey(key: string): boolean {
  return !hasDotSegment(key) && !/\p{Cc}/u.test(key);
}

/** Whether a part of the path is `.` or `..`. */
export function hasDotSegment(key: string): boolean {
  return key.split('/').some((segment) => segment === '.' || segment === '..');
}
