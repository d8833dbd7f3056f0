import { z } from 'zod';

/** A bearer token. Nobody could send another one in a header. */
export const TokenSetting = z.string().regex(/^[\x21-\x7e]+$/, { error: 'must be printable ASCII without spaces' });
