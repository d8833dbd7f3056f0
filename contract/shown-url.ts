/**
 * URLs as they may be logged, answered and shown: a presigned URL's query string is a key to the object, and a URL may
 * hold a password. By patterns alone, because what a caller gave as a URL need not be one.
 */

/** Removes query string, fragment, user name and password. */
export function redactUrl(url: string): string {
  // URL parsers take any number of slashes and backslashes after `http:`. In a `file:` URL the third slash begins the path.
  return url.replace(/[?#].*$/s, '').replace(/^(\s*(?:https?:[/\\]*|[a-z][a-z0-9+.-]*:\/\/))[^/\\]*@/i, '$1');
}

/** Also without the folders of a `file:` URL: they tell of this machine's disk. */
export function redactUrlAndFolder(url: string): string {
  const shown = redactUrl(url);
  return /^file:/i.test(shown) ? `file:…/${shown.slice(shown.lastIndexOf('/') + 1)}` : shown;
}

/** Redacts each URL in a text: its query string becomes `?…`, and credentials are removed. */
export function redactUrlsIn(text: string): string {
  return text.replace(/(https?:\/\/)(?:[^\s"'<>?#/]*@)?([^\s"'<>?#]*)([?#][^\s"'<>]*)?/gi, (_, scheme, rest, query) =>
    [scheme, rest, query === undefined ? '' : '?…'].join(''),
  );
}
