import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultLocalKey } from '../../../contract/local-provider.ts';
import { testFolder, useFolder } from '../../support/folder.ts';
import { readConfig } from '../../../worker/config.ts';
import { SettingError } from '../../../process/settings.ts';

const folder = useFolder();
const whisper = { kind: 'openai-transcription', url: 'https://api.test/v1/audio/transcriptions', secretEnv: 'THE_KEY' };
let files = 0;

function providers(content: unknown, env: Record<string, string> = {}) {
  const path = join(folder, `${(files += 1)}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readConfig({ TEMPORAL_CONFIG_FILE: '/nowhere', PROVIDERS_FILE: path, THE_KEY: 'sk-secret', ...env }).providers;
}

function refusal(content: unknown, env: Record<string, string> = {}): string {
  try {
    providers(content, env);
  } catch (error) {
    if (error instanceof SettingError) return error.message;
    throw error;
  }
  return 'accepted';
}

test('a provider with only a URL and a secret gets the documented defaults, and its policy has no secret', () => {
  const known = providers({ 'openai/whisper-1': whisper }).get('openai/whisper-1');
  expect(known?.secret).toBe('sk-secret');
  expect(known?.policy).toEqual({
    key: 'openai/whisper-1',
    environment: 'default',
    timeoutSeconds: 60,
    limits: {
      maxConcurrent: 5,
      requestsPerMinute: 50,
      requestsPerHour: 1000,
      burstLimit: 10,
      permitSeconds: 120,
      breakerFailures: 5,
      breakerSeconds: 60,
    },
    backoff: { strategy: 'exponential', min: 2, max: 30, multiplier: 2, attempts: 4 },
  });
  // A workflow's input stays in its history.
  expect(JSON.stringify(known?.policy)).not.toMatch(/sk-secret|api\.test|THE_KEY/);
});

test('the jitter strategy waits 1 to 60 s by default', () => {
  const known = providers({ 'a/b': { ...whisper, backoff: { strategy: 'jitter' } } }).get('a/b');
  expect(known?.policy.backoff).toMatchObject({ min: 1, max: 60, multiplier: 2 });
});

test('variables override the file for their key and for no other', () => {
  const all = providers(
    { 'openai/whisper-1': { ...whisper, limits: { requestsPerMinute: 7 } }, 'a/b': whisper },
    {
      OPENAI_WHISPER_1_REQUESTS_PER_MINUTE: '20',
      OPENAI_WHISPER_1_REQUESTS_PER_HOUR: '300',
      OPENAI_WHISPER_1_BURST_LIMIT: '3',
      OPENAI_WHISPER_1_BACKOFF_MIN: '0.5',
      OPENAI_WHISPER_1_BACKOFF_MAX: '300',
      OPENAI_WHISPER_1_BACKOFF_MULTIPLIER: '3',
    },
  );
  expect(all.get('openai/whisper-1')?.policy).toMatchObject({
    limits: { requestsPerMinute: 20, requestsPerHour: 300, burstLimit: 3 },
    backoff: { min: 0.5, max: 300, multiplier: 3 },
  });
  expect(all.get('a/b')?.policy).toMatchObject({ limits: { requestsPerMinute: 50 }, backoff: { max: 30 } });
});

test('keys in RATE_LIMIT_THROTTLE_MODELS, separated by commas or spaces, get the throttle of their environment', () => {
  const all = providers(
    { 'a/b': whisper, 'c/d': whisper, 'e/f': whisper },
    { RATE_LIMIT_THROTTLE_MODELS: 'a/b, c/d', RATE_LIMIT_RPS_BACKOFF_SECONDS: '5', HOLDFAST_ENVIRONMENT: 'staging' },
  );
  expect(all.get('a/b')?.policy).toMatchObject({
    environment: 'staging',
    throttle: { day: 86_400, rps: 5, other: 900 },
  });
  expect(all.get('c/d')?.policy.throttle).toBeDefined();
  expect(all.get('e/f')?.policy.throttle).toBeUndefined();
});

test('the example of docs/providers.md is valid and names the defaults', () => {
  const text = readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8');
  const example = /```json\n(.*?)```/s.exec(text)?.[1] ?? '';
  const [whole, short] = [...providers(example, { OPENAI_API_KEY: 'sk-secret' }).values()];
  const byDefault = providers({ 'a/b': whisper }).get('a/b')?.policy;
  expect(whole?.policy).toEqual({ ...byDefault, key: 'openai/whisper-1' });
  expect(short?.policy.backoff).toMatchObject({ strategy: 'jitter', min: 1, max: 60 });
});

test('there are no providers if PROVIDERS_FILE is not set', () => {
  expect(readConfig({ TEMPORAL_CONFIG_FILE: '/nowhere' }).providers.size).toBe(0);
});

describe('the keys of the engine on this machine', () => {
  const local = (env: Record<string, string>) =>
    readConfig({ TEMPORAL_CONFIG_FILE: '/nowhere', LOCAL_PROVIDER_URL: 'http://127.0.0.1:9000/', ...env }).providers;

  const translationUrl = 'http://127.0.0.1:9000/v1/audio/translations';

  test('local/tiny.en needs no PROVIDERS_FILE, and one call at a time uses it', () => {
    const all = local({});
    expect([...all.keys()]).toEqual([defaultLocalKey]);
    expect(all.get(defaultLocalKey)).toMatchObject({
      provider: { kind: 'openai-transcription', url: 'http://127.0.0.1:9000/v1/audio/transcriptions' },
      secret: undefined,
      policy: { limits: { maxConcurrent: 1 } },
    });
  });

  test('each folder of LOCAL_MODELS_PATH with a model has a key', () => {
    const models = testFolder();
    for (const name of ['large-v3', 'no model', 'empty']) mkdirSync(join(models, name));
    for (const name of ['large-v3', 'no model']) writeFileSync(join(models, name, 'model.bin'), '');
    expect([...local({ LOCAL_MODELS_PATH: models }).keys()]).toEqual([defaultLocalKey, 'local/large-v3']);
  });

  test('models that know only English cannot translate, and others can', () => {
    const path = join(folder, 'local.json');
    const entries = { 'local/large-v3': {}, 'local/base': { model: 'base.en' }, 'local/small.en': { model: 'small' } };
    writeFileSync(path, JSON.stringify(entries));
    const urls = [...local({ PROVIDERS_FILE: path })].map(([key, { provider }]) => [key, provider.translationUrl]);
    expect(urls).toEqual([
      [defaultLocalKey, undefined],
      ['local/large-v3', translationUrl],
      ['local/base', undefined],
      ['local/small.en', translationUrl],
    ]);
  });

  test('PROVIDERS_FILE adds to them and may replace them', () => {
    const path = join(folder, 'local.json');
    writeFileSync(path, JSON.stringify({ [defaultLocalKey]: { ...whisper, timeoutSeconds: 7 }, 'a/b': whisper }));
    const all = local({ PROVIDERS_FILE: path, THE_KEY: 'sk-secret' });
    expect([...all.keys()]).toEqual([defaultLocalKey, 'a/b']);
    expect(all.get(defaultLocalKey)?.policy.timeoutSeconds).toBe(7);
  });

  test('an entry of PROVIDERS_FILE without a URL changes some of their settings, or adds a key', () => {
    const path = join(folder, 'local.json');
    const price = { perMinute: 0.01 };
    const entries = {
      [defaultLocalKey]: { price, limits: { maxConcurrent: 2 } },
      'local/large-v3': { language: 'de' },
    };
    writeFileSync(path, JSON.stringify(entries));
    const all = local({ PROVIDERS_FILE: path });
    const defaults = local({}).get(defaultLocalKey);
    expect(all.get(defaultLocalKey)?.policy).toEqual({
      ...defaults?.policy,
      price,
      limits: { ...defaults?.policy.limits, maxConcurrent: 2 },
    });
    expect(all.get('local/large-v3')?.provider).toEqual({ ...defaults?.provider, translationUrl, language: 'de' });
    writeFileSync(path, JSON.stringify({ 'a/b': { price } }));
    expect(() => local({ PROVIDERS_FILE: path })).toThrow('a/b.url must be an http: or https: URL.');
  });

  test.each([
    ['LOCAL_MODELS_PATH', '/nowhere/at/all', 'must be an existing folder'],
    ['LOCAL_PROVIDER_URL', 'ftp://x', 'must be an http: or https: URL'],
    ['LOCAL_PROVIDER_URL', 'http://me:pw@x', 'may not carry a user name or password'],
  ])('%s of %s is refused', (name, value, sentence) => {
    expect(() => local({ [name]: value })).toThrow(`${name} is not valid: ${sentence}.`);
  });
});

const one = { 'openai/whisper-1': whisper };
test.each([
  ['not JSON', '{', {}, /^PROVIDERS_FILE .* is not JSON/],
  ['no key', { whisper }, {}, /must be <provider>\/<model>/],
  ['an unknown kind', { 'a/b': { ...whisper, kind: 'soap' } }, {}, /a\/b\.kind/],
  ['an unknown field', { 'a/b': { ...whisper, secret: 'sk-1' } }, {}, /secret/],
  ['another scheme', { 'a/b': { ...whisper, url: 'ftp://x/' } }, {}, /a\/b\.url must be an http: or https: URL/],
  [
    'no URL of translations',
    { 'a/b': { ...whisper, translationUrl: 'yes' } },
    {},
    /a\/b\.translationUrl must be an http/,
  ],
  ['no secret', { 'a/b': { ...whisper, secretEnv: 'NOT_SET' } }, {}, /NOT_SET is not set/],
  ['a timeout longer than the permit', { 'a/b': { ...whisper, timeoutSeconds: 119 } }, {}, /timeoutSeconds/],
  ['min above max', one, { OPENAI_WHISPER_1_BACKOFF_MIN: '31' }, /^OPENAI_WHISPER_1_BACKOFF_MIN needs min <= max\.$/],
  ['max below min', one, { OPENAI_WHISPER_1_BACKOFF_MAX: '1' }, /^OPENAI_WHISPER_1_BACKOFF_MAX needs min <= max\.$/],
  ['no number', one, { OPENAI_WHISPER_1_BACKOFF_MAX: 'long' }, /^OPENAI_WHISPER_1_BACKOFF_MAX must be a number\.$/],
  ['above 300 s', one, { OPENAI_WHISPER_1_BACKOFF_MAX: '301' }, /^OPENAI_WHISPER_1_BACKOFF_MAX /],
  ['a min of 0', one, { OPENAI_WHISPER_1_BACKOFF_MIN: '0' }, /^OPENAI_WHISPER_1_BACKOFF_MIN /],
  ['a multiplier that shrinks', one, { OPENAI_WHISPER_1_BACKOFF_MULTIPLIER: '0.5' }, /^OPENAI_WHISPER_1_BACKOFF_MULT/],
  ['half a request', one, { OPENAI_WHISPER_1_REQUESTS_PER_MINUTE: '1.5' }, /^OPENAI_WHISPER_1_REQUESTS_PER_MINUTE /],
  ['no burst', one, { OPENAI_WHISPER_1_BURST_LIMIT: '0' }, /^OPENAI_WHISPER_1_BURST_LIMIT /],
  ['a count of 0', one, { OPENAI_WHISPER_1_REQUESTS_PER_HOUR: '0' }, /^OPENAI_WHISPER_1_REQUESTS_PER_HOUR /],
  ['a negative count', one, { OPENAI_WHISPER_1_REQUESTS_PER_MINUTE: '-1' }, /^OPENAI_WHISPER_1_REQUESTS_PER_MINUTE /],
  [
    'a throttled key nobody declares',
    one,
    { RATE_LIMIT_THROTTLE_MODELS: 'a/b' },
    /RATE_LIMIT_THROTTLE_MODELS names a\/b/,
  ],
  [
    'a throttled key that is no key',
    one,
    { RATE_LIMIT_THROTTLE_MODELS: 'a/b whisper' },
    /^RATE_LIMIT_THROTTLE_MODELS is not valid: names "whisper", which is not <provider>\/<model>\.$/,
  ],
  [
    'a throttle that is no number',
    one,
    { RATE_LIMIT_DAY_BACKOFF_SECONDS: 'long' },
    /^RATE_LIMIT_DAY_BACKOFF_SECONDS is not valid: must be a number\.$/,
  ],
  [
    'an environment of two words',
    one,
    { HOLDFAST_ENVIRONMENT: 'a b' },
    /^HOLDFAST_ENVIRONMENT is not valid: must be a name of letters/,
  ],
  [
    'a throttle of 0 seconds',
    one,
    { RATE_LIMIT_BACKOFF_SECONDS: '0' },
    /^RATE_LIMIT_BACKOFF_SECONDS is not valid: must be above 0/,
  ],
  ['keys with one prefix', { 'a/b-c': whisper, 'a/b.c': whisper }, {}, /would both begin with A_B_C_/],
])('%s stops the worker with a sentence', (_, content, env, sentence) => {
  expect(refusal(content, env)).toMatch(sentence);
  expect(refusal(content, env)).not.toContain('sk-secret');
});
