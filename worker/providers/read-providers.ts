import type { z } from 'zod';
import type { Providers } from '../../activities/provider/providers.ts';
import {
  type Provider,
  type ProviderKey,
  type ProviderPolicy,
  ProvidersFile,
  type ThrottleSeconds,
} from '../../contract/provider.ts';
import { SettingError } from '../../process/settings.ts';
import { assertDistinctPrefixes, overrideProvider } from './override-provider.ts';
import { completeLocalEntries, localProviders, type LocalProviderSettings } from './local-providers.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import { requireSettingFile } from '../../process/setting-file.ts';

/** Reads PROVIDERS_FILE, adds the local keys that it does not name, and applies the variables that override it. */
export function readProviders(settings: ProviderSettings): Providers {
  const { file, local, limiterEnvironment, throttledKeys, throttleSeconds, variables } = settings;
  const declared = { ...localProviders(local), ...(file !== undefined && readProvidersFile(file, local)) };
  const unknown = throttledKeys.find((key) => !Object.hasOwn(declared, key));
  if (unknown !== undefined) {
    const where = file === undefined ? 'but PROVIDERS_FILE is not set' : `which PROVIDERS_FILE (${file}) does not`;
    throw new SettingError(`RATE_LIMIT_THROTTLE_MODELS names ${unknown}, ${where}.`);
  }
  assertDistinctPrefixes(Object.keys(declared));
  return new Map(
    Object.entries(declared).map(([key, value]) => {
      const provider = overrideProvider(key, value, variables);
      const secret = readSecret(key, provider, variables);
      const throttle = throttledKeys.includes(key) ? throttleSeconds : undefined;
      return [key, { provider, secret, policy: policyOf(key, provider, limiterEnvironment, throttle) }];
    }),
  );
}

function policyOf(
  key: string,
  provider: Provider,
  environment: string,
  throttle: ThrottleSeconds | undefined,
): ProviderPolicy {
  const { timeoutSeconds, limits, backoff, price } = provider;
  return {
    key,
    environment,
    timeoutSeconds,
    limits,
    backoff,
    ...(price !== undefined && { price }),
    ...(throttle !== undefined && { throttle }),
  };
}

interface ProviderSettings {
  /** Path of PROVIDERS_FILE; undefined declares no providers. */
  file: string | undefined;
  local: LocalProviderSettings;
  /** Part of the limiters' workflow ids. */
  limiterEnvironment: string;
  /** Keys that suspend their calls after a rate-limit error. */
  throttledKeys: readonly ProviderKey[];
  throttleSeconds: ThrottleSeconds;
  /** All variables that are set. Names of secrets and of overrides for a key come from PROVIDERS_FILE. */
  variables: ReadonlyMap<string, string>;
}

/** Reads a key's secret from the variable that PROVIDERS_FILE names. */
function readSecret(key: string, { secretEnv }: Provider, variables: ReadonlyMap<string, string>): string | undefined {
  if (secretEnv === undefined) return undefined;
  const secret = variables.get(secretEnv);
  if (secret === undefined) {
    throw new SettingError(`PROVIDERS_FILE names ${secretEnv} for the secret of ${key}, but ${secretEnv} is not set.`);
  }
  // The secret goes into a header. The message must not contain the value.
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new SettingError(`${secretEnv}, the secret of ${key}, has characters that no HTTP header takes.`);
}

function readProvidersFile(path: string, local: LocalProviderSettings): ProvidersFile {
  const parsed = ProvidersFile.safeParse(completeLocalEntries(readJson(path), local));
  if (parsed.success) return parsed.data;
  throw new SettingError(`PROVIDERS_FILE is not valid: ${formatIssues(parsed.error)}`);
}

function readJson(path: string): unknown {
  const text = requireSettingFile(`PROVIDERS_FILE ${path}`, path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingError(`PROVIDERS_FILE ${path} is not JSON: ${messageOf(error)}.`, { cause: error });
  }
}

function formatIssues(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'it'} ${issueText(issue)}.`).join(' ');
}

function issueText(issue: z.core.$ZodIssue): string {
  // The issue of a bad key gives no reason; the nested issues do.
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
}
