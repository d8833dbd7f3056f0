import { pathOfFileUrl } from './file-url.ts';

/** What signs a URL, and the parameters by which such URLs are known. A URL that was signed again still names the same file. */
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

/** An `http:` URL without its signature, in one spelling; any other text as it is. */
export function stripSignature(text: string): string {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  for (const { marks, parameters } of signatures) {
    const names = new Set(url.searchParams.keys());
    if (!marks.every((mark) => [...names].some((name) => mark.test(name)))) continue;
    for (const name of names) if (parameters.test(name)) url.searchParams.delete(name);
  }
  return url.href;
}

function parametersOf(url: string): ReadonlyMap<string, string> {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return new Map();
  return new Map([...new URL(url).searchParams].map(([name, value]) => [name.toLowerCase(), value]));
}

/** Version 2 signs Content-MD5 and Content-Type, and the URL does not show which: as not sent, unless the caller says so. */
export function signsUnknownContentHeaders(url: string): boolean {
  const parameters = parametersOf(url);
  const keys = ['awsaccesskeyid', 'googleaccessid', 'ossaccesskeyid'];
  return parameters.has('signature') && keys.some((key) => parameters.has(key));
}

/** Azure's store of blobs takes no PUT without `x-ms-blob-type`, which its signatures do not cover. */
export function isAzureBlobSignature(url: string): boolean {
  const parameters = parametersOf(url);
  return ['sig', 'sv', 'sr', 'sp'].every((name) => parameters.has(name)) && !parameters.has('comp');
}

/** Headers that the client adds itself, with values that the signer may have known. */
const ownHeaders = { get: ['host'], put: ['host', 'content-length', 'content-md5', 'content-type'] };

/** Version 4 names the headers that it signs: those of them that neither the caller gives nor we send. */
export function missingSignedHeaders(url: string, given: readonly string[], method: 'get' | 'put'): string[] {
  const parameters = parametersOf(url);
  const signed = parameters.get('x-amz-signedheaders') ?? parameters.get('x-goog-signedheaders') ?? '';
  const known = new Set([...ownHeaders[method], ...given.map((name) => name.toLowerCase())]);
  return signed
    .toLowerCase()
    .split(';')
    .filter((name) => name !== '' && !known.has(name));
}

/** Whether each goes to a place of its own: two uploads to one place would leave the one that ends last. */
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

/** What the URLs of one place have in common. Of the spellings of a `file:` URL each names the same file. */
export function placeOf(uploadUrl: string): string {
  if (!/^file:/i.test(uploadUrl) || !URL.canParse(uploadUrl)) return stripSignature(uploadUrl);
  return pathOfFileUrl(new URL(uploadUrl)) ?? uploadUrl;
}

export const targetIssue = { error: 'name one place twice; each needs a place of its own' };
