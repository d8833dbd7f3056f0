import { z } from 'zod';
import { checkSourceHeaders, TransferHeaders } from './headers.ts';
import { ContainerSourceUrl, HttpUrl } from './url.ts';

const encryptionSchemes = ['cbcs', 'cenc', 'aes-128'] as const;

/** AES-128 key as the container takes it; no message or answer contains it. */
export const KeyHex = z.string().regex(/^[0-9a-fA-F]{32}$/, { error: 'must be 32 hex digits' });

/** Public: by this a licence server knows which key is wanted. */
const KeyId = z.string().regex(/^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i, {
  error: 'must be 32 hex digits, or a UUID',
});

/** It goes into playlists between quotes, so it is of plain characters; and not `data:`, which would be the key itself. */
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
  else if (headers !== undefined) refuse('headers', 'are given together with keyUrl');
  if (scheme === 'aes-128' && keyId !== undefined)
    refuse('keyId', 'is of cbcs and cenc; aes-128 knows its key by keyUri');
  if (scheme !== 'aes-128' && keyId === undefined)
    refuse('keyId', `says which key it is, in files of ${scheme}: give it`);
}

/** How the segments of a package are encrypted; its key is as the one takes it who is asked. */
export function encryptionSchema<
  Key extends z.ZodType<string>,
  Url extends z.ZodType<string>,
  Headers extends z.ZodType<Record<string, unknown>>,
>(key: Key, url: Url, headers: Headers) {
  return z
    .strictObject({
      scheme: z.enum(encryptionSchemes),
      key: key.optional(),
      /** A file of 16 bytes, the key. */
      keyUrl: url.optional(),
      /** Sent to the origin of keyUrl. */
      headers: headers.optional(),
      keyId: KeyId.optional(),
      /** Where players of HLS get the key. */
      keyUri: KeyUri.optional(),
      /** Where players of DASH get a licence of ClearKey. */
      licenseUrl: HttpUrl.optional(),
    })
    .superRefine((encryption, context) => checkEncryption(encryption, context));
}

/** The request of a worker has the key itself, as it has the values of headers. */
export const ContainerEncryption = encryptionSchema(KeyHex, ContainerSourceUrl, TransferHeaders);
export type ContainerEncryption = z.infer<typeof ContainerEncryption>;
