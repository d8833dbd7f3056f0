/** Place of a file at a store behind a relay, such as `sftp://nas.example.com:22/talks/in.wav`. */
export interface RelayedPlace {
  scheme: RelayedScheme;
  /** Lower case; an IPv6 address has brackets. */
  host: string;
  port: number;
  /** Literal: `#`, `?` and `%` are ordinary characters. Begins with `/`. */
  path: string;
}

const defaultPorts = { sftp: 22, 'webdav+https': 443, 'webdav+http': 80 } as const;
export type RelayedScheme = keyof typeof defaultPorts;

/** Schemes of stores behind a relay, as `URL.protocol` spells them. */
export const relayedSchemes = Object.keys(defaultPorts).map((scheme) => `${scheme}:`);

const pattern =
  /^\s*(sftp|webdav\+https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::(\d{1,5}))?(\/.*)?$/is;

/** Undefined for other schemes, and for text that names more than a host, such as `sftp://user@nas/in.wav`. */
export function parseRelayedUrl(url: string): RelayedPlace | undefined {
  const [, schemeText = '', host = '', portText, path = '/'] = pattern.exec(url) ?? [];
  const scheme = schemeText.toLowerCase();
  if (!isRelayedScheme(scheme)) return undefined;
  const port = portText === undefined ? defaultPorts[scheme] : Number(portText);
  return port > 0 && port < 65_536 && path.isWellFormed()
    ? { scheme, host: host.toLowerCase(), port, path }
    : undefined;
}

function isRelayedScheme(scheme: string): scheme is RelayedScheme {
  return Object.hasOwn(defaultPorts, scheme);
}

/** Whether the URL names one file: not a folder, and not a path that servers resolve, such as `a/../b`. */
export function isRelayedFile(url: string): boolean {
  const path = parseRelayedUrl(url)?.path ?? '/';
  const segments = path.split('/');
  return segments.at(-1) !== '' && !segments.some((name) => name === '.' || name === '..') && !/\p{Cc}/u.test(path);
}

/** Name of the server in settings and errors, such as `sftp://nas.example.com`. */
export function serverOf({ scheme, host, port }: RelayedPlace): string {
  return `${scheme}://${host}${port === defaultPorts[scheme] ? '' : `:${port}`}`;
}

/** The server of a URL, as the subject of a sentence. */
export function serverOfUrl(url: string): string {
  const place = parseRelayedUrl(url);
  return place === undefined ? 'The store' : serverOf(place);
}

/** HTTP URL of the file at its WebDAV server. */
export function webdavAddress({ scheme, host, port, path }: RelayedPlace): string {
  const protocol = scheme === 'webdav+http' ? 'http' : 'https';
  return new URL(`${protocol}://${host}:${port}${encodePath(path)}`).href;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Parameters of the relay's URLs. The signature covers the path and all other parameters. */
export const relayParameters = {
  method: 'X-Holdfast-Method',
  expires: 'X-Holdfast-Expires',
  run: 'X-Holdfast-Run',
  /** An upload in parts, and a place in its file; only the requests of such an upload have it. */
  upload: 'X-Holdfast-Upload',
  signature: 'X-Holdfast-Signature',
} as const;

/** Path of a file below the address of any relay: `/sftp/nas.example.com:22/talks/in.wav`. */
export function relayPath({ scheme, host, port, path }: RelayedPlace): string {
  return `/${scheme}/${host}:${port}${encodePath(path)}`;
}

/** The place that a path of a relay names. */
export function placeOfRelayPath(relayPathname: string): RelayedPlace | undefined {
  const [, scheme = '', server = '', path = ''] = /^\/([a-z+]+)\/([^/]+)(\/.*)$/s.exec(relayPathname) ?? [];
  try {
    return parseRelayedUrl(`${scheme}://${decodeURIComponent(server)}${decodeURIComponent(path)}`);
  } catch {
    return undefined;
  }
}

/** The store's own URL of a file, from the URL that a relay signed; undefined for other URLs. */
export function storeUrlOfRelayUrl(url: URL): string | undefined {
  if (!url.searchParams.has(relayParameters.signature)) return undefined;
  const place = placeOfRelayPath(url.pathname);
  return place === undefined ? undefined : serverOf(place) + place.path;
}
