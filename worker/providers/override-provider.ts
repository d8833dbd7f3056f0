import { environmentPrefix, Provider } from '../../contract/provider.ts';
import { SettingError } from '../../process/settings.ts';

/** Endings of a key's variables, and the settings that they override. */
const overrides = [
  ['REQUESTS_PER_MINUTE', 'limits', 'requestsPerMinute'],
  ['REQUESTS_PER_HOUR', 'limits', 'requestsPerHour'],
  ['BURST_LIMIT', 'limits', 'burstLimit'],
  ['BACKOFF_MIN', 'backoff', 'min'],
  ['BACKOFF_MAX', 'backoff', 'max'],
  ['BACKOFF_MULTIPLIER', 'backoff', 'multiplier'],
] as const;

/** Validates all values together, like the file: `min` above `max` is found wherever either was set. */
export function overrideProvider(key: string, provider: Provider, variables: ReadonlyMap<string, string>): Provider {
  const prefix = environmentPrefix(key);
  const limits: Record<string, number> = { ...provider.limits };
  const backoff: Record<string, number | string> = { ...provider.backoff };
  const used: string[] = [];
  for (const [ending, part, name] of overrides) {
    const variable = `${prefix}_${ending}`;
    const value = variables.get(variable);
    if (value === undefined) continue;
    (part === 'limits' ? limits : backoff)[name] = parseNumber(variable, value);
    used.push(variable);
  }
  const checked = Provider.safeParse({ ...provider, limits, backoff });
  if (checked.success) return checked.data;
  const sentences = checked.error.issues.map((issue) => {
    const found = overrides.find(([, part, name]) => issue.path[0] === part && issue.path[1] === name);
    const variable = found === undefined ? undefined : `${prefix}_${found[0]}`;
    return `${variable !== undefined && used.includes(variable) ? variable : used.join(' and ')} ${issue.message}.`;
  });
  throw new SettingError(sentences.join(' '));
}

/** `openai/whisper-1` and `openai/whisper_1` would share the variables OPENAI_WHISPER_1_…. */
export function assertDistinctPrefixes(keys: readonly string[]): void {
  const keyByPrefix = new Map<string, string>();
  for (const key of keys) {
    const prefix = environmentPrefix(key);
    const other = keyByPrefix.get(prefix);
    if (other !== undefined) {
      throw new SettingError(
        `PROVIDERS_FILE names ${other} and ${key}, whose variables would both begin with ${prefix}_.`,
      );
    }
    keyByPrefix.set(prefix, key);
  }
}

function parseNumber(variable: string, value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number)) return number;
  throw new SettingError(`${variable} must be a number.`);
}
