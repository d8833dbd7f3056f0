import { z } from 'zod';
import { type AllowedAddresses, parseAllowedAddresses } from './address-guard.ts';

/** The setting ALLOW_PRIVATE_ADDRESSES. */
export const AllowedAddressesSetting = z
  .string()
  .default('')
  .transform((text, context): AllowedAddresses => {
    const parsed = parseAllowedAddresses(text);
    if (parsed.kind === 'allowed') return parsed.allowed;
    context.addIssue({ code: 'custom', message: parsed.message });
    return z.NEVER;
  });
