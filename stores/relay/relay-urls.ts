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

/** The HTTP method of each request that can be signed. The last three are those of an upload in parts. */
const httpMethods = {
  get: 'GET',
  put: 'PUT',
  delete: 'DELETE',
  part: 'PUT',
  complete: 'POST',
  abort: 'DELETE',
} as const;
export type RelayMethod = keyof typeof httpMethods;

/** An upload in parts, and the place in its file that a request concerns. */
export interface RelayUpload {
  id: string;
  /** `part`: the first byte of the part. `complete`: the size of the file. */
  bytes: number;
}

/** Address of the relay, and key of its signatures. */
interface RelaySettings {
  /** RELAY_URL: an origin, such as `http://relay:8090`. */
  address: string;
  /** RELAY_KEY; undefined uses a random key of this process. */
  key: string | undefined;
}

export interface RelayRequest {
  method: RelayMethod;
  url: string;
  run: RunOfJob;
  isExpired: boolean;
  /** Undefined for a request that belongs to no upload in parts. */
  upload: RelayUpload | undefined;
}

/** Signs URLs of one file for one method and one run, and checks them. Relays with the same key accept each other's URLs. */
export class RelayUrls {
  readonly #address: string;
  readonly #key: string | Buffer;

  constructor({ address, key = '' }: RelaySettings) {
    this.#address = address;
    this.#key = key === '' ? randomBytes(32) : key;
  }

  sign(url: string, method: RelayMethod, run: RunOfJob, expiresSeconds: number, upload?: RelayUpload): SignedUrl {
    const place = parseRelayedUrl(url);
    if (place === undefined) throw new TypeError(`Not the URL of a file at a store: ${url}`);
    const expiresAtMs = Date.now() + expiresSeconds * 1000;
    const path = relayPath(place);
    const [expires, ofRun] = [String(expiresAtMs), `${run.runId}/${run.workflowId}`];
    const ofUpload = upload === undefined ? undefined : `${upload.id}/${upload.bytes}`;
    const query = new URLSearchParams({
      [names.method]: method,
      [names.expires]: expires,
      [names.run]: ofRun,
      ...(ofUpload !== undefined && { [names.upload]: ofUpload }),
      [names.signature]: this.#signatureOf([path, method, expires, ofRun], ofUpload),
    });
    return { url: `${this.#address}${path}?${query.toString()}`, expiresAtMs };
  }

  /** What a request with this path and query may do by this method of HTTP. Undefined if no key of ours signed it. */
  open(pathAndQuery: string, httpMethod: string, nowMs = Date.now()): RelayRequest | undefined {
    const [path, query] = splitOnce(pathAndQuery, '?');
    const parameters = new URLSearchParams(query);
    const valueOf = (name: string): string => parameters.get(name) ?? '';
    const [method, expires, ofRun] = [valueOf(names.method), valueOf(names.expires), valueOf(names.run)];
    const ofUpload = parameters.get(names.upload) ?? undefined;
    const expected = this.#signatureOf([path, method, expires, ofRun], ofUpload);
    if (!isEqual(valueOf(names.signature), expected)) return undefined;
    const place = placeOfRelayPath(path);
    if (place === undefined || !isRelayMethod(method) || httpMethods[method] !== httpMethod) return undefined;
    const [runId, workflowId] = splitOnce(ofRun, '/');
    const isExpired = nowMs >= Number(expires);
    const url = serverOf(place) + place.path;
    return { method, url, run: { workflowId, runId }, isExpired, upload: parseUpload(ofUpload) };
  }

  /** JSON keeps the fields apart: no two requests have the same text. */
  #signatureOf(fields: readonly string[], ofUpload: string | undefined): string {
    const signed = ofUpload === undefined ? fields : [...fields, ofUpload];
    return createHmac('sha256', this.#key).update(JSON.stringify(signed)).digest('base64url');
  }
}

function isRelayMethod(method: string): method is RelayMethod {
  return Object.hasOwn(httpMethods, method);
}

function parseUpload(text: string | undefined): RelayUpload | undefined {
  if (text === undefined) return undefined;
  const [id, bytes] = splitOnce(text, '/');
  return { id, bytes: Number(bytes) };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
