/**
 * Path of a `file:` URL in POSIX form. Undefined for other URLs and for ambiguous spellings: a host, an encoded slash,
 * NUL, a broken escape.
 */
export function pathOfFileUrl(given: URL | string): string | undefined {
  const url = typeof given === 'string' ? URL.parse(given) : given;
  if (url?.protocol !== 'file:' || url.host !== '' || /%2f|%00/i.test(url.pathname)) return undefined;
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
}

/**
 * Whether an absolute path is below the folder `root`, which is not below itself. Neither path may contain `.` or `..`.
 */
export function isInside(root: string, path: string): boolean {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(prefix) && path.length > prefix.length;
}
