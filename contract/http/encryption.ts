import { z } from 'zod';
import { checkSourceHeaders, TransferHeaders } from './headers.ts';
import { ContainerSourceUrl, HttpUrl } from './url.ts';

const encryptionSchemes = ['cbcs', 'cenc', 'aes-128'] as const;

/** AES-128 key; no message or answer contains it. */
export const KeyHex = z.string().regex(/^[0-9a-fA-F]{32}$/, { error: 'must be 32 hex digits' });

/** Public; a licence server finds the key by it. */
const KeyId = z.string().regex(/^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i, {
  error: 'must be 32 hex digits, or a UUID',
});

/** Playlists quote the URI, so it is limited to plain characters; `data:` would publish the key itself. */
const KeyUri = z
  .string()
  .max(2048)
  .regex(/^(?:https?|skd):\/\/[!#-[\]-~]+$/i, {
    error: 'must be a URL that starts with https://, http:// or skd://, without spaces and quotes',
  });

interface PossibleEncryption {
  scheme: (typeof encryptionSchemes)[number];
  key?: string | undefined;
  keyUrl?: string | undefined;
  headers?: Record<string, unknown> | undefined;
  keyId?: string | undefined;
}

function checkEncryption(encryption: PossibleEncryption, context: z.RefinementCtx): void {
  const { scheme, key, keyUrl, headers, keyId } = encryption;
  const refuse = (field: string, message: string): void => context.addIssue({ code: 'custom', message, path: [field] });
  if ((key === undefined) === (keyUrl === undefined)) refuse('keyUrl', 'give either key or keyUrl');
  if (keyUrl !== undefined) checkSourceHeaders({ sourceUrl: keyUrl, headers }, context);
  else if (headers !== undefined) refuse('headers', 'need a keyUrl');
  if (scheme === 'aes-128' && keyId !== undefined)
    refuse('keyId', 'is only for cbcs and cenc; with aes-128, players find the key by keyUri');
  if (scheme !== 'aes-128' && keyId === undefined)
    refuse('keyId', `is required with ${scheme}, because it identifies the key`);
}

/** Encryption of a package's segments; the schemas of links and keys differ between container and workflow. */
export function encryptionSchema<
  Key extends z.ZodType<string>,
  Url extends z.ZodType<string>,
  Headers extends z.ZodType<Record<string, unknown>>,
>(key: Key, url: Url, headers: Headers) {
  return z
    .strictObject({
      scheme: z.enum(encryptionSchemes),
      key: key.optional(),
      /** URL of a file with the 16 bytes of the key. */
      keyUrl: url.optional(),
      /** Sent to the origin of keyUrl. */
      headers: headers.optional(),
      keyId: KeyId.optional(),
      /** URL from which HLS players get the key. */
      keyUri: KeyUri.optional(),
      /** URL from which DASH players get a ClearKey licence. */
      licenseUrl: HttpUrl.optional(),
    })
    .superRefine((encryption, context) => checkEncryption(encryption, context));
}

/** A worker's request contains the key itself, like the values of headers. */
export const ContainerEncryption = encryptionSchema(KeyHex, ContainerSourceUrl, TransferHeaders);
export type ContainerEncryption = z.infer<typeof ContainerEncryption>;
