/**
 * URLs for logs, answers and pages: the query string of a presigned URL grants access, and a URL may contain a
 * password. Regular expressions only, because a caller's text need not be a valid URL.
 */

/** Removes query string, fragment, user name and password. */
export function redactUrl(url: string): string {
  // URL parsers take any number of slashes and backslashes after `http:`. In a `file:` URL the third slash begins the
  // path.
  return url.replace(/[?#].*$/s, '').replace(/^(\s*(?:https?:[/\\]*|[a-z][a-z0-9+.-]*:\/\/))[^/\\]*@/i, '$1');
}

/** Also removes the folders of a `file:` URL, which reveal paths of this machine. */
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
