import { z } from 'zod';

/** A bearer token in the characters that a header can carry. */
export const TokenSetting = z.string().regex(/^[\x21-\x7e]+$/, { error: 'must be printable ASCII without spaces' });
