import { relayParameters, storeUrlOfRelayUrl } from './relayed-url.ts';
import { isHttpUrl } from './url-scheme.ts';

interface SignatureScheme {
  /** Parameters that reveal the scheme. */
  marks: readonly RegExp[];
  /** Parameters that a new signature changes. */
  parameters: RegExp;
  /** Object stores name an object by the path alone; other servers may use the rest of the query, too. */
  isOfStore: boolean;
}

const signatures: readonly SignatureScheme[] = [
  // AWS and Google, version 4
  { marks: [/^x-(?:amz|goog)-/i], parameters: /^x-(?:amz|goog)-/i, isOfStore: true },
  // AWS and Google, version 2
  {
    marks: [/^signature$/i, /^(?:awsaccesskeyid|googleaccessid)$/i],
    parameters: /^(?:signature|awsaccesskeyid|googleaccessid|expires)$/i,
    isOfStore: true,
  },
  // Alibaba, version 1
  {
    marks: [/^signature$/i, /^ossaccesskeyid$/i],
    parameters: /^(?:signature|ossaccesskeyid|expires)$/i,
    isOfStore: true,
  },
  // CloudFront
  {
    marks: [/^signature$/i, /^key-pair-id$/i],
    parameters: /^(?:signature|key-pair-id|policy|expires|hash-algorithm)$/i,
    isOfStore: false,
  },
  // Azure's shared access signatures
  {
    marks: [/^sig$/i, /^sv$/i],
    parameters: /^(?:s[veripst]|sig|srt?|ss|spr|sip|skoid|sktid|skt|ske|sks|skv|ses|sdd)$/i,
    isOfStore: true,
  },
];

/**
 * Normalised `http:` URL without its signature; other text is unchanged. The URL of a relay becomes that of the store, because
 * each worker may have its own relay. Parameters that name a part of an upload stay.
 */
export function stripSignature(text: string): string {
  if (!isHttpUrl(text)) return text;
  const url = new URL(text);
  const stored = storeUrlOfRelayUrl(url);
  if (stored !== undefined) {
    const upload = url.searchParams.get(relayParameters.upload);
    return upload === null ? stored : `${stored}?${relayParameters.upload}=${upload}`;
  }
  const { rest } = splitQuery(url.search);
  if (rest.length < url.searchParams.size) url.search = new URLSearchParams(rest).toString();
  return url.href;
}

/** Parameters of a query without those of a signature, and whether an object store made the signature. */
export function splitQuery(search: string): { rest: [string, string][]; isOfStore: boolean } {
  let rest = [...new URLSearchParams(search)];
  let isOfStore = false;
  for (const scheme of signatures) {
    if (!scheme.marks.every((mark) => rest.some(([name]) => mark.test(name)))) continue;
    isOfStore ||= scheme.isOfStore;
    rest = rest.filter(([name]) => !scheme.parameters.test(name));
  }
  return { rest, isOfStore };
}

function parametersOf(url: string): ReadonlyMap<string, string> {
  if (!isHttpUrl(url)) return new Map();
  return new Map([...new URL(url).searchParams].map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Version 2 signs the values of Content-MD5 and Content-Type, and the URL does not show them. The client sends neither
 * header unless the caller sets it.
 */
export function signsUnknownContentHeaders(url: string): boolean {
  const parameters = parametersOf(url);
  const keys = ['awsaccesskeyid', 'googleaccessid', 'ossaccesskeyid'];
  return parameters.has('signature') && keys.some((key) => parameters.has(key));
}

/** What a request to Azure Blob Storage writes: a blob, a block of one, or the list of its blocks. Undefined for other stores. */
export function azureWriteOf(url: string): 'blob' | 'block' | 'blocklist' | undefined {
  const parameters = parametersOf(url);
  // A signature for one resource has `sr`, one for an account `ss`. With a stored access policy `sp` is not in the URL.
  const isAzure = parameters.has('sig') && parameters.has('sv') && (parameters.has('sr') || parameters.has('ss'));
  if (!isAzure) return undefined;
  const comp = parameters.get('comp');
  if (comp === undefined) return 'blob';
  return comp === 'block' || comp === 'blocklist' ? comp : undefined;
}

/** Azure Blob Storage requires `x-ms-blob-type` on every PUT of a blob, and its signatures do not cover that header. */
export function azureBlobHeaders(url: string): Record<string, string> {
  return azureWriteOf(url) === 'blob' ? { 'x-ms-blob-type': 'BlockBlob' } : {};
}

/** Headers that the client adds itself, with values that the signer may have known. */
const ownHeaders = { get: ['host'], put: ['host', 'content-length', 'content-md5', 'content-type'] };

/** Headers that a version 4 URL signs, but that neither the caller nor the client sends. */
export function missingSignedHeaders(url: string, given: readonly string[], method: 'get' | 'put'): string[] {
  const parameters = parametersOf(url);
  const signed = parameters.get('x-amz-signedheaders') ?? parameters.get('x-goog-signedheaders') ?? '';
  const known = new Set([...ownHeaders[method], ...given.map((name) => name.toLowerCase())]);
  return signed
    .toLowerCase()
    .split(';')
    .filter((name) => name !== '' && !known.has(name));
}
