import { z } from 'zod';

/**
 * Control characters and lone surrogates, without the classes `\p{Cc}` and `\p{Cs}`: tools that read the OpenAPI document
 * have no Unicode properties.
 */
export const unprintable = String.raw`\u0000-\u001f\u007f-\u009f\ud800-\udfff`;

/** Temporal's SQL stores keep 255 characters of a search attribute and cannot find values with " or \. */
export const OwnerName = z.string().regex(new RegExp(String.raw`^(?=.*\S)[^${unprintable}"\\]{1,200}$`, 'u'), {
  error: 'must be a name of 1 to 200 characters on one line, without " and \\',
});
