/**
 * Scheme of a URL, such as `https:`; undefined for text that is no URL. Compare schemes by this function: URL parsers
 * ignore case, line breaks and tabs, and also control characters before the URL.
 */
export function schemeOf(url: string): string | undefined {
  return URL.parse(url)?.protocol;
}

export function isHttpUrl(url: string): boolean {
  return ['http:', 'https:'].includes(schemeOf(url) ?? '');
}

export function isFileUrl(url: string): boolean {
  return schemeOf(url) === 'file:';
}
