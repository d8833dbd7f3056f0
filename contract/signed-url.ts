import { pathOfFileUrl } from './file-url.ts';

/** Schemes of signed URLs: the parameters that reveal each scheme, and those that a new signature changes. */
const signatures: readonly { marks: readonly RegExp[]; parameters: RegExp }[] = [
  // AWS and Google, version 4
  { marks: [/^x-(?:amz|goog)-/i], parameters: /^x-(?:amz|goog)-/i },
  // AWS and Google, version 2
  {
    marks: [/^signature$/i, /^(?:awsaccesskeyid|googleaccessid)$/i],
    parameters: /^(?:signature|awsaccesskeyid|googleaccessid|expires)$/i,
  },
  // Alibaba, version 1
  { marks: [/^signature$/i, /^ossaccesskeyid$/i], parameters: /^(?:signature|ossaccesskeyid|expires)$/i },
  // CloudFront
  {
    marks: [/^signature$/i, /^key-pair-id$/i],
    parameters: /^(?:signature|key-pair-id|policy|expires|hash-algorithm)$/i,
  },
  // Azure's shared access signatures
  {
    marks: [/^sig$/i, /^sv$/i],
    parameters: /^(?:s[veripst]|sig|srt?|ss|spr|sip|skoid|sktid|skt|ske|sks|skv|ses|sdd)$/i,
  },
];

/** Normalised `http:` URL without its signature; other text is unchanged. */
export function stripSignature(text: string): string {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  for (const { marks, parameters } of signatures) {
    const names = new Set(url.searchParams.keys());
    if (!marks.every((mark) => [...names].some((name) => mark.test(name)))) continue;
    // One assignment: each `delete` would write the whole query again.
    const kept = [...url.searchParams].filter(([name]) => !parameters.test(name));
    url.search = new URLSearchParams(kept).toString();
  }
  return url.href;
}

function parametersOf(url: string): ReadonlyMap<string, string> {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return new Map();
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

/** Azure Blob Storage requires `x-ms-blob-type` on every PUT, and its signatures do not cover that header. */
export function isAzureBlobSignature(url: string): boolean {
  const parameters = parametersOf(url);
  return ['sig', 'sv', 'sr', 'sp'].every((name) => parameters.has(name)) && !parameters.has('comp');
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

/** Whether each upload has its own destination; of two uploads to one place, only the last would survive. */
export function haveOwnTargets(
  outputs: readonly { uploadUrl?: string | undefined; uploadUrlPrefix?: string | undefined }[],
): boolean {
  const places = outputs.flatMap(({ uploadUrl }) => (uploadUrl === undefined ? [] : [placeOf(uploadUrl)]));
  const folders = outputs.flatMap(({ uploadUrlPrefix }) => uploadUrlPrefix ?? []).map(placeOf);
  const isUnder = (folder: string, place: string): boolean => place.startsWith(folder);
  return (
    new Set(places).size === places.length &&
    folders.every(
      (folder, index) => ![...places, ...folders.toSpliced(index, 1)].some((place) => isUnder(folder, place)),
    )
  );
}

/**
 * URL without the parts that may differ for one destination, such as a signature or another spelling of a `file:` URL.
 */
export function placeOf(uploadUrl: string): string {
  if (!/^file:/i.test(uploadUrl) || !URL.canParse(uploadUrl)) return stripSignature(uploadUrl);
  return pathOfFileUrl(new URL(uploadUrl)) ?? uploadUrl;
}

export const targetIssue = { error: 'name one place twice; each needs a place of its own' };
