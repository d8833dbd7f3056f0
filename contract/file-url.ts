/**
 * The path that a `file:` URL names, as POSIX has it. Undefined for other URLs, and for spellings that nobody has a use for and that could
 * mean another file to somebody else: a host, an encoded slash, NUL, a broken escape.
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

/** Whether an absolute path is below the folder `root`. Both have no `.` and `..`. The root itself is not below it. */
export function isInside(root: string, path: string): boolean {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(prefix) && path.length > prefix.length;
}
