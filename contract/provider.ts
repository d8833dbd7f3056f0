import { z } from 'zod';
import { limitRules } from './limit-rules.ts';
import { OwnerName } from './workflow/owner-name.ts';
import { recordOf } from './record.ts';

/** `<provider>/<model>`, such as `openai/whisper-1`; the only part of a provider in a workflow's input. */
export const ProviderKey = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}\/[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, {
  error: 'must be <provider>/<model>, such as openai/whisper-1',
});
export type ProviderKey = z.infer<typeof ProviderKey>;

/** Part of a limiter's id, so each environment has its own limiters. */
export const LimiterEnvironment = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, {
  error: 'must be a name of letters, digits, ".", "_" and "-"',
});

/** A workflow's `provider`: one key, or several in order of preference; while one is throttled, the next is used. */
export const ProviderChoice = z.union([
  ProviderKey,
  z
    .array(ProviderKey)
    .min(1)
    .max(8)
    .refine((keys) => new Set(keys).size === keys.length, { error: 'names a key twice' }),
]);
export type ProviderChoice = z.infer<typeof ProviderChoice>;

const count = z.number().int().positive();

function limit(name: keyof typeof limitRules) {
  const rule = limitRules[name];
  const number = rule.unit === 'count' ? count : z.number().positive();
  return number.max(rule.max).default(rule.default);
}

/** Limits of one key across all workers and runs. */
export const ProviderLimits = z.strictObject({
  maxConcurrent: limit('maxConcurrent'),
  requestsPerMinute: limit('requestsPerMinute'),
  requestsPerHour: limit('requestsPerHour'),
  /** tokens; they refill at `requestsPerMinute` */
  burstLimit: limit('burstLimit'),
  /** Seconds for which a holder may keep a permit. */
  permitSeconds: limit('permitSeconds'),
  /** Consecutive failures, without rate limits, after which the key's breaker opens for `breakerSeconds`. */
  breakerFailures: limit('breakerFailures'),
  breakerSeconds: limit('breakerSeconds'),
});
export type ProviderLimits = z.infer<typeof ProviderLimits>;

const backoffSeconds = z.number().positive().max(300);

export const ProviderBackoff = z
  .strictObject({
    /**
     * `exponential`: min(2^attempt, 30) at the defaults; `jitter`: min * multiplier^attempt * random(0.1…1.0), capped.
     */
    strategy: z.enum(['exponential', 'jitter']).default('exponential'),
    /** seconds before the second attempt (`exponential`), or the base of the product (`jitter`) */
    min: backoffSeconds.optional(),
    /** seconds */
    max: backoffSeconds.optional(),
    multiplier: z.number().min(1).max(10).default(2),
    /** maximum, including the first */
    attempts: count.max(100).default(4),
  })
  .transform((backoff) => ({
    ...backoff,
    min: backoff.min ?? (backoff.strategy === 'exponential' ? 2 : 1),
    max: backoff.max ?? (backoff.strategy === 'exponential' ? 30 : 60),
  }))
  .refine(({ min, max }) => min <= max, { error: 'needs min <= max', path: ['min'] });
export type ProviderBackoff = z.infer<typeof ProviderBackoff>;

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http: or https: URL' });

const price = z.number().min(0).max(1_000_000);

/** Prices of answered calls, in the currency of PRICE_CURRENCY. */
export const ProviderPrice = z
  .strictObject({
    perCall: price.optional(),
    /** Per minute of audio. */
    perMinute: price.optional(),
  })
  .refine(({ perCall, perMinute }) => (perCall ?? perMinute) !== undefined, { error: 'needs perCall or perMinute' });
export type ProviderPrice = z.infer<typeof ProviderPrice>;

/** Part of a permit's time that is not the call: waiting for a slot, reading the chunk, reporting the end. */
const callOverheadSeconds = 10;

export const Provider = z
  .strictObject({
    /**
     * `openai-transcription`: POST multipart/form-data as OpenAI's API documents it; `http`: POST the bytes, receive
     * JSON.
     */
    kind: z.enum(['openai-transcription', 'http']),
    url: httpUrl,
    /** URL of calls whose answers are in English, such as OpenAI's /v1/audio/translations. */
    translationUrl: httpUrl.optional(),
    /** Environment variable that holds the secret, which is sent as a bearer token. */
    secretEnv: z
      .string()
      .regex(/^[A-Z_][A-Z0-9_]*$/i, { error: 'must be the name of an environment variable' })
      .optional(),
    /** The provider's name of the model; default: the part of the key after the slash. */
    model: z.string().min(1).max(200).optional(),
    /** Owners whose runs may use the key; undefined allows all. */
    owners: z.array(OwnerName).min(1).optional(),
    /** Whether answers can have the voices by which runs tell speakers apart, as `transcriber/server.py` has them. */
    voices: z.boolean().optional(),
    /** ISO 639-1; sent to the provider */
    language: z.string().min(2).max(16).optional(),
    /** Seconds for one chunk, from the first byte sent to the last byte received. */
    timeoutSeconds: z.number().positive().max(3_000).default(60),
    limits: ProviderLimits.prefault({}),
    backoff: ProviderBackoff.prefault({}),
    price: ProviderPrice.optional(),
  })
  // A call that outlives its permit would exceed the provider's limit.
  .refine(({ timeoutSeconds, limits }) => timeoutSeconds + callOverheadSeconds <= limits.permitSeconds, {
    error: `must be at least ${callOverheadSeconds} less than limits.permitSeconds`,
    path: ['timeoutSeconds'],
  });
export type Provider = z.infer<typeof Provider>;

/** Content of PROVIDERS_FILE. */
export const ProvidersFile = recordOf(ProviderKey, Provider);
export type ProvidersFile = z.infer<typeof ProvidersFile>;

/** Seconds for which a throttled key is suspended, by the text of the error. */
export interface ThrottleSeconds {
  /** `tokens per day limit exceeded` */
  day: number;
  /** `requests per second|minute limit exceeded` */
  rps: number;
  /** every other rate-limit error */
  other: number;
}

/**
 * A workflow's view of a provider, without URL and secret. An activity returns it because the settings belong to the
 * worker.
 */
export interface ProviderPolicy {
  key: ProviderKey;
  /** Part of the limiter's workflow id: `limiter/<environment>/<key>` */
  environment: string;
  timeoutSeconds: number;
  limits: ProviderLimits;
  backoff: ProviderBackoff;
  price?: ProviderPrice;
  /** Set for the keys in RATE_LIMIT_THROTTLE_MODELS. */
  throttle?: ThrottleSeconds;
  /** Time at which the run read the policy, in ms of the epoch. Runs of older versions have none. */
  readAtMs?: number;
}

/** `openai/whisper-1` → `OPENAI_WHISPER_1`, the prefix of the key's environment variables. */
export function environmentPrefix(key: ProviderKey): string {
  return key.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

/** Abilities that a run needs of each of its providers. */
export interface ProviderNeeds {
  voices?: boolean;
  translate?: boolean;
}
