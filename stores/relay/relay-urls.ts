import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  parseRelayedUrl,
  placeOfRelayPath,
  relayParameters as names,
  relayPath,
  serverOf,
} from '../../contract/relayed-url.ts';
import type { SignedUrl } from '../store.ts';

export type RelayMethod = 'get' | 'put' | 'delete';

/** Address of the relay, and key of its signatures. */
export interface RelaySettings {
  /** RELAY_URL: an origin, such as `http://relay:8090`. */
  address: string;
  /** RELAY_KEY; undefined uses a random key of this process. */
  key: string | undefined;
}

export type OpenedRelayUrl = { kind: 'url'; url: string } | { kind: 'expired' } | { kind: 'forged' };

/** Signs URLs of one file for one method, and checks them. Relays with the same key accept each other's URLs. */
export class RelayUrls {
  readonly #address: string;
  readonly #key: string | Buffer;

  constructor({ address, key = '' }: RelaySettings) {
    this.#address = address;
    this.#key = key === '' ? randomBytes(32) : key;
  }

  sign(url: string, method: RelayMethod, expiresSeconds: number): SignedUrl {
    const place = parseRelayedUrl(url);
    if (place === undefined) throw new TypeError(`Not the URL of a file at a store: ${url}`);
    const expiresAtMs = Date.now() + expiresSeconds * 1000;
    const path = relayPath(place);
    const query = new URLSearchParams({
      [names.method]: method,
      [names.expires]: String(expiresAtMs),
      [names.signature]: this.#signatureOf(path, method, String(expiresAtMs)),
    });
    return { url: `${this.#address}${path}?${query.toString()}`, expiresAtMs };
  }

  /** The file that a request with this path and query may use by this method. */
  open(pathAndQuery: string, method: string, nowMs = Date.now()): OpenedRelayUrl {
    const [path, query] = splitOnce(pathAndQuery, '?');
    const parameters = new URLSearchParams(query);
    const [signed, expires, signature] = [names.method, names.expires, names.signature].map(
      (name) => parameters.get(name) ?? '',
    );
    const expected = this.#signatureOf(path, signed ?? '', expires ?? '');
    if (signature === undefined || !isEqual(signature, expected) || signed !== method) return { kind: 'forged' };
    if (nowMs >= Number(expires)) return { kind: 'expired' };
    const place = placeOfRelayPath(path);
    return place === undefined ? { kind: 'forged' } : { kind: 'url', url: serverOf(place) + place.path };
  }

  /** No field contains a line break, so two requests never have the same text. */
  #signatureOf(path: string, method: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${method}\n${expires}\n${path}`).digest('base64url');
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
