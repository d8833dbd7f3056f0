import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { type AllowedAddresses, parseAllowedAddresses } from '../network/address-guard.ts';

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `must be a whole number ${range}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

export const PortSetting = wholeNumber(1, 65_535);

/** Port to listen on; 0 lets the system choose a free one. */
export const ListenPortSetting = wholeNumber(0, 65_535);

export const LogLevelSetting = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info');

/** BUILD_ID: by Temporal's rules for the builds of a deployment. */
export const BuildIdSetting = z
  .string()
  .regex(/^[^\s:]{1,200}$/, { error: 'must be a name without spaces and colons' });

export const HttpUrlSetting = z.url({
  protocol: /^https?$/,
  error: 'must be a URL that starts with http:// or https://',
});

/** OTEL_EXPORTER_OTLP_ENDPOINT; a process without it makes no traces. */
export const TraceEndpointSetting = HttpUrlSetting.transform((url) => url.replace(/\/+$/, '')).optional();

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** An existing folder of this machine. */
export const FolderSetting = z
  .string()
  .refine(isAbsolute, { error: 'must be an absolute path' })
  .refine(isFolder, { error: 'must be an existing folder' });

/** A bearer token. No header can carry other characters. */
export const TokenSetting = z.string().regex(/^[\x21-\x7e]+$/, { error: 'must be printable ASCII without spaces' });

/** ALLOW_PRIVATE_ADDRESSES */
export const AllowedAddressesSetting = z
  .string()
  .default('')
  .transform((text, context): AllowedAddresses => {
    const parsed = parseAllowedAddresses(text);
    if (parsed.kind === 'allowed') return parsed.allowed;
    context.addIssue({ code: 'custom', message: parsed.message });
    return z.NEVER;
  });
