import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { Providers } from '../activities/provider/providers.ts';
import {
  LimiterEnvironment,
  environmentPrefix,
  Provider,
  ProviderKey,
  type ProviderPolicy,
  ProvidersFile,
  type ThrottleSeconds,
} from '../contract/provider.ts';
import { defaultEnvironment, longestProviderWaitSeconds } from '../contract/defaults.ts';
import { ConfigError } from './config-error.ts';

type Environment = NodeJS.ProcessEnv;

/** PROVIDERS_FILE with what the environment says over it; throws a ConfigError that names what is wrong. */
export function readProviders(env: Environment): Providers {
  const path = env['PROVIDERS_FILE'];
  const throttled = throttledKeys(env);
  const seconds = throttleSeconds(env);
  if (path === undefined || path === '') {
    if (throttled.length === 0) return new Map();
    throw new ConfigError('RATE_LIMIT_THROTTLE_MODELS names providers, but PROVIDERS_FILE is not set.');
  }
  const declared = providersOf(contentOf(path));
  const unknown = throttled.find((key) => !Object.hasOwn(declared, key));
  if (unknown !== undefined) {
    throw new ConfigError(`RATE_LIMIT_THROTTLE_MODELS names ${unknown}, which PROVIDERS_FILE (${path}) does not.`);
  }
  assertDistinctPrefixes(Object.keys(declared));
  const environment = limiterEnvironment(env);
  return new Map(
    Object.entries(declared).map(([key, value]) => {
      const provider = withOverrides(key, value, env);
      const throttle = throttled.includes(key) ? seconds : undefined;
      return [
        key,
        { provider, secret: secretOf(key, provider, env), policy: policyOf(key, provider, environment, throttle) },
      ];
    }),
  );
}

function limiterEnvironment(env: Environment): string {
  const name = env['HOLDFAST_ENVIRONMENT'] ?? '';
  if (name === '') return defaultEnvironment;
  const parsed = LimiterEnvironment.safeParse(name);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`HOLDFAST_ENVIRONMENT ${parsed.error.issues[0]?.message}.`);
}

function contentOf(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`PROVIDERS_FILE ${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`PROVIDERS_FILE ${path} is not JSON: ${reasonOf(error)}.`, { cause: error });
  }
}

function providersOf(content: unknown): ProvidersFile {
  const parsed = ProvidersFile.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`PROVIDERS_FILE is not valid: ${sentences(parsed.error)}`);
}

/** The variables of one key and where they stand in its settings. */
const overrides = [
  ['REQUESTS_PER_MINUTE', 'limits', 'requestsPerMinute'],
  ['REQUESTS_PER_HOUR', 'limits', 'requestsPerHour'],
  ['BURST_LIMIT', 'limits', 'burstLimit'],
  ['BACKOFF_MIN', 'backoff', 'min'],
  ['BACKOFF_MAX', 'backoff', 'max'],
  ['BACKOFF_MULTIPLIER', 'backoff', 'multiplier'],
] as const;

/** Checked as the file is: together, so that a `min` above the `max` is found wherever either stands. */
function withOverrides(key: string, provider: Provider, env: Environment): Provider {
  const prefix = environmentPrefix(key);
  const limits: Record<string, number> = { ...provider.limits };
  const backoff: Record<string, number | string> = { ...provider.backoff };
  const used: string[] = [];
  for (const [ending, part, name] of overrides) {
    const variable = `${prefix}_${ending}`;
    const value = env[variable];
    if (value === undefined || value === '') continue;
    (part === 'limits' ? limits : backoff)[name] = numberOf(variable, value);
    used.push(variable);
  }
  const checked = Provider.safeParse({ ...provider, limits, backoff });
  if (checked.success) return checked.data;
  const names = checked.error.issues.map((issue) => {
    const found = overrides.find(([, part, name]) => issue.path[0] === part && issue.path[1] === name);
    const variable = found === undefined ? undefined : `${prefix}_${found[0]}`;
    return `${variable !== undefined && used.includes(variable) ? variable : used.join(' and ')} ${issue.message}.`;
  });
  throw new ConfigError(names.join(' '));
}

function numberOf(variable: string, value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number)) return number;
  throw new ConfigError(`${variable} must be a number.`);
}

function secretOf(key: string, { secretEnv }: Provider, env: Environment): string | undefined {
  if (secretEnv === undefined) return undefined;
  const secret = env[secretEnv];
  if (secret === undefined || secret === '') {
    throw new ConfigError(`PROVIDERS_FILE names ${secretEnv} for the secret of ${key}, but ${secretEnv} is not set.`);
  }
  // It goes into a header; the value itself is not for a message.
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new ConfigError(`${secretEnv}, the secret of ${key}, has characters that no HTTP header takes.`);
}

function policyOf(
  key: string,
  provider: Provider,
  environment: string,
  throttle: ThrottleSeconds | undefined,
): ProviderPolicy {
  const { timeoutSeconds, limits, backoff } = provider;
  return { key, environment, timeoutSeconds, limits, backoff, ...(throttle !== undefined && { throttle }) };
}

function throttledKeys(env: Environment): string[] {
  const keys = (env['RATE_LIMIT_THROTTLE_MODELS'] ?? '').split(/[\s,]+/).filter((key) => key !== '');
  const bad = keys.find((key) => !ProviderKey.safeParse(key).success);
  if (bad === undefined) return keys;
  throw new ConfigError(`RATE_LIMIT_THROTTLE_MODELS names "${bad}", which is not <provider>/<model>.`);
}

function throttleSeconds(env: Environment): ThrottleSeconds {
  const seconds = (variable: string, byDefault: number) => {
    const value = env[variable];
    if (value === undefined || value === '') return byDefault;
    const number = numberOf(variable, value);
    if (number > 0 && number <= longestProviderWaitSeconds) return number;
    throw new ConfigError(`${variable} must be above 0 and at most ${longestProviderWaitSeconds} seconds.`);
  };
  return {
    day: seconds('RATE_LIMIT_DAY_BACKOFF_SECONDS', 86_400),
    rps: seconds('RATE_LIMIT_RPS_BACKOFF_SECONDS', 60),
    other: seconds('RATE_LIMIT_BACKOFF_SECONDS', 900),
  };
}

/** `openai/whisper-1` and `openai/whisper_1` would both be set by OPENAI_WHISPER_1_…. */
function assertDistinctPrefixes(keys: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const key of keys) {
    const prefix = environmentPrefix(key);
    const other = seen.get(prefix);
    if (other !== undefined) {
      throw new ConfigError(
        `PROVIDERS_FILE names ${other} and ${key}, whose variables would both begin with ${prefix}_.`,
      );
    }
    seen.set(prefix, key);
  }
}

function sentences(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'it'} ${issueText(issue)}.`).join(' ');
}

function issueText(issue: z.core.$ZodIssue): string {
  // A bad key of a record says only so; what is wrong with it stands below.
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : lowerFirst(issue.message);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
