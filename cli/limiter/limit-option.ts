import { InvalidArgumentError } from 'commander';
import type { LimitsOverride } from '../../contract/limiter.ts';
import { ProviderLimits } from '../../contract/provider.ts';

export const limitNames = ProviderLimits.keyof().options;

/** `--set requestsPerMinute=30 --set burstLimit=default`; values are checked like those of PROVIDERS_FILE. */
export function collectLimit(text: string, before: LimitsOverride = {}): LimitsOverride {
  const [, name = '', value = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const known = limitNames.find((limit) => limit === name);
  if (known === undefined) {
    throw new InvalidArgumentError(
      `It must look like requestsPerMinute=30 or requestsPerMinute=default, with one of ${limitNames.join(', ')}.`,
    );
  }
  if (value === 'default') return { ...before, [known]: null };
  const parsed = ProviderLimits.shape[known].safeParse(value.trim() === '' ? Number.NaN : Number(value));
  if (parsed.success) return { ...before, [known]: parsed.data };
  throw new InvalidArgumentError(`${known}: ${parsed.error.issues[0]?.message}.`);
}
