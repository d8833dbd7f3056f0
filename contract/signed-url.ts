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

/** Whether each goes to a place of its own: two uploads to one place would leave the one that ends last. */
export function haveOwnTargets(outputs: readonly { uploadUrl: string }[]): boolean {
  return new Set(outputs.map(({ uploadUrl }) => placeOf(uploadUrl))).size === outputs.length;
}

/** Of the spellings of a `file:` URL each names the same file. */
function placeOf(uploadUrl: string): string {
  if (!/^file:/i.test(uploadUrl) || !URL.canParse(uploadUrl)) return stripSignature(uploadUrl);
  return pathOfFileUrl(new URL(uploadUrl)) ?? uploadUrl;
}

export const targetIssue = { error: 'name one place twice; each needs an uploadUrl of its own' };
