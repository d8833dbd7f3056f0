/** Proxies between a store and us may take `a/../b` for `b`. */
export function isPlainKey(key: string): boolean {
  return !key.split('/').some((segment) => segment === '.' || segment === '..') && !/\p{Cc}/u.test(key);
}
