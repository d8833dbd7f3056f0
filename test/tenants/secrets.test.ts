import type { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createInspectActivities } from '../../activities/index.ts';
import { containerClients } from '../../activities/container/client.ts';
import { prepareActivity } from '../../activities/prepare.ts';
import { requireProvider } from '../../activities/provider/providers.ts';
import type { BoundSecret } from '../../activities/secrets.ts';
import { sendWebhookActivity } from '../../activities/webhook/send-webhook.ts';
import type { ChunkActivityInput, EncodeActivityInput } from '../../contract/activity.ts';
import { Provider } from '../../contract/provider.ts';
import type { Requester } from '../../contract/requester.ts';
import { ChunkingInput } from '../../contract/workflow/chunking.ts';
import { EncodeInput } from '../../contract/workflow/encode.ts';
import { InspectInput } from '../../contract/workflow/inspect.ts';
import { ProcessingInput } from '../../contract/workflow/processing.ts';
import type { WebhookDelivery } from '../../contract/workflow/webhook.ts';
import {
  answer,
  chunkResult,
  encodedOutput,
  encodeResult,
  metadataResult,
  ScriptedContainer,
} from '../fixtures/scripted-container.ts';
import { loopbackAllowed, WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { failureOf, TestAttempt } from '../support/attempt.ts';
import { fakeStores } from '../support/fake-stores.ts';
import { bodyWith, merged, textFields } from './input-fields.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const origin = 'https://partner.test';
const anna: Requester = { owner: 'anna', isOfServer: true };
const bert: Requester = { owner: 'bert', isOfServer: true };
const operator: Requester = { isOfServer: true };

function ofAnna<Value>(value: Value, origins?: string): BoundSecret<Value> {
  return { value, owners: new Set(['anna']), ...(origins !== undefined && { origins: new Set([origins]) }) };
}

const headerVariables = new Map([
  ['HEADER_ANNA', ofAnna('s3cr3t', origin)],
  ['HEADER_OPEN', { value: 's3cr3t' }],
]);
const packageKeys = new Map([['ANNA', ofAnna('ab'.repeat(16))]]);

/** This output has no format, so that it answers each request. */
const { format: _, ...anyOutput } = encodedOutput;

const container = await stopAfterAll(
  ScriptedContainer.start(({ path }) => {
    if (path === '/metadata') return answer(200, metadataResult);
    return answer(200, path === '/encode' ? { ...encodeResult, outputs: [anyOutput] } : chunkResult(1));
  }),
);
const receiver = await stopAfterAll(WebhookReceiver.start());

/** Returns what the container received. */
async function submit(kind: string, input: unknown, requester: Requester | undefined): Promise<string> {
  const before = container.requests.length;
  const context = requester === undefined ? {} : { requester };
  const attempt = new TestAttempt(container.url, { context, headerVariables, packageKeys });
  if (kind === 'encode') await attempt.encode(input as EncodeActivityInput);
  else if (kind === 'chunking') await attempt.chunk(input as ChunkActivityInput);
  else {
    const dependencies = { clients: containerClients(undefined), stores: fakeStores(), headerVariables };
    const { inspect } = createInspectActivities(
      dependencies,
      new Map([[container.url, { containerUrl: container.url }]]),
    );
    const whole = { step: 'inspect', idempotencyKey: 'run:inspect', state: {}, ...context };
    await attempt.environment.run(inspect, input as InspectInput, whole);
  }
  return JSON.stringify(container.requests.slice(before).map(({ body }) => body));
}

/** The field with the URL to whose origin the headers go. */
function urlFieldOf(headersField: string): string {
  if (headersField === 'headers') return 'sourceUrl';
  const url = /^(?:outputs|chunks)\[\]\.headers$/.test(headersField) ? 'uploadUrl' : 'url';
  return headersField.replace(/headers$/, headersField.includes('encryption') ? 'keyUrl' : url);
}

const schemas = { encode: EncodeInput, chunking: ChunkingInput, processing: ProcessingInput, inspect: InspectInput };

/** Every place in the requests where a header's value may be a name. */
const places = Object.entries(schemas).flatMap(([kind, schema]) =>
  textFields(schema)
    .filter((field) => field.endsWith('headers{}.env'))
    .map((field): [string, string] => [kind, field.replace(/\{\}\.env$/, '')]),
);

test('finds each place of a header, so that the next test misses none', () => {
  expect(places.map((place) => place.join(' '))).toEqual([
    'encode headers',
    'encode outputs[].chapters.headers',
    'encode outputs[].cover.headers',
    'encode outputs[].encryption.headers',
    'encode outputs[].headers',
    'encode outputs[].subtitles.add[].headers',
    'encode outputs[].subtitles.burn.headers',
    'encode outputs[].watermark.headers',
    'chunking chunks[].headers',
    'chunking headers',
    'processing headers',
    'inspect headers',
  ]);
});

test.each(places)('sends a secret header of %s at %s only for its owner and to its origin', async (kind, field) => {
  // `processing` encodes its source.
  const step = kind === 'processing' ? 'encode' : kind;
  const chunks = { chunks: [{ index: 0, uploadUrl: 'file:///out' }] };
  const base = step === 'encode' ? { outputs: [{ format: 'flac', uploadUrl: 'file:///out' }] } : chunks;
  const inputOf = (name: string, url: string) =>
    merged(
      merged(
        { sourceUrl: 'https://source.test/in', ...(step === 'inspect' ? {} : base) },
        bodyWith(urlFieldOf(field), url),
      ),
      bodyWith(field, { Authorization: { env: name } }),
    );
  const there = `${origin}/file`;
  expect(await submit(step, inputOf('HEADER_ANNA', there), anna)).toContain('"Authorization":"s3cr3t"');
  expect(await submit(step, inputOf('HEADER_ANNA', there), undefined)).toContain('s3cr3t');
  expect(await submit(step, inputOf('HEADER_ANNA', there), operator)).toContain('s3cr3t');
  expect(await submit(step, inputOf('HEADER_OPEN', 'https://any.test/'), undefined)).toContain('s3cr3t');
  const before = container.requests.length;
  for (const [name, url, requester] of [
    ['HEADER_ANNA', there, bert],
    ['HEADER_ANNA', 'https://evil.test/file', anna],
    ['HEADER_ANNA', 'http://partner.test/file', anna],
    ['HEADER_ANNA', 'https://evil.test/file', operator],
    ['HEADER_ANNA', 'https://evil.test/file', undefined],
    ['HEADER_ANNA_OWNERS', there, anna],
    ['HEADER_OPEN', there, anna],
    ['HEADER_OPEN', there, operator],
    ['HEADER_UNKNOWN', there, anna],
    ['HEADER_UNKNOWN', there, undefined],
  ] as const) {
    const { type, message } = await failureOf(submit(step, inputOf(name, url), requester));
    expect([type, message]).toEqual([
      'InvalidRequest',
      `The header Authorization refers to ${name}, which this worker does not have for this run and this URL`,
    ]);
  }
  expect(container.requests.length).toBe(before);
});

test('encrypts with a package key only for its owner', async () => {
  const rest = { scheme: 'cbcs', keyId: '8a5e2b7c-1d3f-4a60-9b11-c2d3e4f50617' };
  const inputOf = (key: string) => ({
    outputs: [{ package: ['hls'], encryption: { ...rest, key }, uploadUrlPrefix: 'file:///out/' }],
  });
  for (const requester of [anna, operator, undefined]) {
    expect(await submit('encode', inputOf('anna'), requester)).toContain('ab'.repeat(16));
  }
  for (const [key, requester] of [
    ['anna', bert],
    ['ANNA', bert],
    ['anna_owners', anna],
    ['unknown', bert],
  ] as const) {
    expect(await failureOf(submit('encode', inputOf(key), requester))).toMatchObject({
      type: 'InvalidRequest',
      message: `An output's encryption names the key "${key}", but this worker has no PACKAGE_KEY_${key.toUpperCase()} for this run`,
    });
  }
});

test('signs messages with a webhook’s secret only for its owner and for its origin', async () => {
  const value = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`];
  const secrets = new Map([
    ['ANNA', ofAnna(value, new URL(receiver.url).origin)],
    ['OPEN', { value }],
  ]);
  const send = sendWebhookActivity({ secrets, allowed: loopbackAllowed });
  const prepareInput = prepareActivity({ secrets }, fakeStores());
  const elsewhere = receiver.url.replace('127.0.0.1', 'localhost');
  const input = { sourceUrl: 'file:///a', outputs: [{ format: 'flac', uploadUrl: 'file:///b' }] };
  for (const [secret, url, requester, isAllowed] of [
    ['anna', receiver.url, anna, true],
    ['anna', receiver.url, operator, true],
    ['open', receiver.url, undefined, true],
    ['anna', receiver.url, bert, false],
    ['Anna', receiver.url, bert, false],
    ['anna', elsewhere, anna, false],
    ['anna', elsewhere, undefined, false],
    ['open', receiver.url, anna, false],
    ['open', receiver.url, operator, false],
    ['anna_owners', receiver.url, anna, false],
    ['unknown', receiver.url, undefined, false],
  ] as const) {
    receiver.received.length = 0;
    const webhook = { url, secret };
    const missing = `WEBHOOK_SECRET_${secret.toUpperCase()} for this run and this URL`;
    const prepared = await prepareInput('encode', { ...input, webhook }, requester).catch(
      (error: ApplicationFailure) => error.message,
    );
    expect(prepared).toEqual(
      isAllowed ? { ...input, webhook } : expect.stringContaining(`is "${secret}", but the workers have no ${missing}`),
    );
    const data = { id: 'talk', runId: 'r1', workflow: 'encode', state: 'succeeded' } as const;
    const delivery: WebhookDelivery = {
      webhook,
      messageId: 'msg_1',
      message: { type: 'run.completed', timestamp: '2026-01-01T00:00:00.000Z', data },
      ...(requester !== undefined && { requester }),
    };
    const sent = await new MockActivityEnvironment().run(send, delivery);
    expect(sent).toMatchObject(
      isAllowed ? { kind: 'delivered' } : { kind: 'failed', message: `this worker has no ${missing}` },
    );
    expect(receiver.received).toHaveLength(isAllowed ? 1 : 0);
  }
});

test('a message of an older version has the owner of its run', async () => {
  const secrets = new Map([['OPEN', { value: [`whsec_${Buffer.alloc(32, 1).toString('base64')}`] }]]);
  const send = sendWebhookActivity({ secrets, allowed: loopbackAllowed });
  const data = { id: 'talk', runId: 'r1', workflow: 'encode', state: 'succeeded', owner: 'bert' } as const;
  const delivery: WebhookDelivery = {
    webhook: { url: receiver.url, secret: 'open' },
    messageId: 'msg_1',
    message: { type: 'run.completed', timestamp: '2026-01-01T00:00:00.000Z', data },
  };
  expect(await new MockActivityEnvironment().run(send, delivery)).toMatchObject({ kind: 'failed' });
});

test('calls a provider only for its owners, and names no other provider', () => {
  const policy = {} as never;
  const provider = (owners?: string[]) =>
    Provider.parse({ kind: 'http', url: 'https://p.test', ...(owners !== undefined && { owners }) });
  const providers = new Map([
    ['anna/one', { provider: provider(['anna']), secret: undefined, policy }],
    ['all/two', { provider: provider(), secret: undefined, policy }],
  ]);
  for (const requester of [anna, operator, undefined])
    expect(requireProvider(providers, 'anna/one', requester)).toBeDefined();
  expect(requireProvider(providers, 'all/two', bert)).toBeDefined();
  for (const key of ['anna/one', 'unknown/one']) {
    expect(() => requireProvider(providers, key, bert)).toThrow(
      new RegExp(`^Unknown provider ${key}: this worker's PROVIDERS_FILE has all/two$`),
    );
  }
});

test.each([
  ['tell speakers apart', { voices: true }, { voices: true }],
  ['translate', { translate: true }, { translationUrl: 'https://p.test/translate' }],
])('refuses a provider that cannot %s, and names the owner’s providers that can', (verb, needs, ability) => {
  const provider = (fields: object) => Provider.parse({ kind: 'http', url: 'https://p.test', ...fields });
  const known = (fields: object) => ({ provider: provider(fields), secret: undefined, policy: {} as never });
  const providers = new Map([
    ['anna/one', known({ owners: ['anna'], ...ability })],
    ['all/two', known({})],
    ['all/three', known(ability)],
  ]);
  const requiring = (key: string) => () => requireProvider(providers, key, bert, needs);
  expect(requiring('all/three')).not.toThrow();
  expect(requiring('all/two')).toThrow(
    `The provider all/two cannot ${verb}; of this worker's providers, all/three can`,
  );
  expect(requiring('anna/one')).toThrow('Unknown provider anna/one');
  providers.delete('all/three');
  expect(requiring('all/two')).toThrow(`The provider all/two cannot ${verb}; no provider of this worker can`);
});
