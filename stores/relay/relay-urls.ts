import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RunOfJob } from '../../contract/activity.ts';
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

export type OpenedRelayUrl = { kind: 'url'; url: string; run: RunOfJob; isExpired: boolean } | { kind: 'forged' };

/** Signs URLs of one file for one method and one run, and checks them. Relays with the same key accept each other's URLs. */
export class RelayUrls {
  readonly #address: string;
  readonly #key: string | Buffer;

  constructor({ address, key = '' }: RelaySettings) {
    this.#address = address;
    this.#key = key === '' ? randomBytes(32) : key;
  }

  sign(url: string, method: RelayMethod, run: RunOfJob, expiresSeconds: number): SignedUrl {
    const place = parseRelayedUrl(url);
    if (place === undefined) throw new TypeError(`Not the URL of a file at a store: ${url}`);
    const expiresAtMs = Date.now() + expiresSeconds * 1000;
    const path = relayPath(place);
    const [expires, ofRun] = [String(expiresAtMs), `${run.runId}/${run.workflowId}`];
    const query = new URLSearchParams({
      [names.method]: method,
      [names.expires]: expires,
      [names.run]: ofRun,
      [names.signature]: this.#signatureOf([path, method, expires, ofRun]),
    });
    return { url: `${this.#address}${path}?${query.toString()}`, expiresAtMs };
  }

  /** The file that a request with this path and query may use by this method. */
  open(pathAndQuery: string, method: string, nowMs = Date.now()): OpenedRelayUrl {
    const [path, query] = splitOnce(pathAndQuery, '?');
    const parameters = new URLSearchParams(query);
    const valueOf = (name: string): string => parameters.get(name) ?? '';
    const [signed, expires, ofRun] = [valueOf(names.method), valueOf(names.expires), valueOf(names.run)];
    const expected = this.#signatureOf([path, signed, expires, ofRun]);
    if (!isEqual(valueOf(names.signature), expected) || signed !== method) return { kind: 'forged' };
    const place = placeOfRelayPath(path);
    if (place === undefined) return { kind: 'forged' };
    const [runId, workflowId] = splitOnce(ofRun, '/');
    const isExpired = nowMs >= Number(expires);
    return { kind: 'url', url: serverOf(place) + place.path, run: { workflowId, runId }, isExpired };
  }

  /** JSON keeps the fields apart: no two requests have the same text. */
  #signatureOf(fields: readonly string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(fields)).digest('base64url');
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
