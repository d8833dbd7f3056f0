/** A URL as it may be logged and answered: a presigned query is a secret, a `file:` path is ours. */
export function shownUrl(url: URL | string): string {
  const { protocol, host, pathname } = new URL(url);
  return protocol === 'file:' ? `file:…/${pathname.split('/').at(-1)}` : `${protocol}//${host}${pathname}`;
}
