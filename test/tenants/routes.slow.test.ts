import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describedSchemas } from '../../server/http/openapi-parts.ts';
import { serverOpenApi } from '../../server/http/openapi.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { speechWav } from '../support/media.ts';
import { startS3 } from '../support/s3.ts';
import { type ServerAnswer, TestServer } from '../support/server.ts';
import { patient, TestStack } from '../support/stack.ts';
import { bearer } from '../server/access/token-holders.ts';
import { textFields } from './input-fields.ts';
import { type AnnasThings, makeAnnasThings } from './annas-things.ts';
import { type Asked, encoded, output, verdicts } from './route-verdicts.ts';
import { useFolder } from '../support/folder.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Bert sends every request of the OpenAPI document with the ids of Anna's things.

const [anna, bert] = ['anna-0123456789abcdef', 'bert-0123456789abcdef'];
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const methods = new Set(['get', 'head', 'post', 'put', 'patch', 'delete']);

const folder = useFolder();
const [s3, media, receiver] = await Promise.all([
  stopAfterAll(startS3(['media'])),
  stopAfterAll(MediaServer.start()),
  stopAfterAll(WebhookReceiver.start()),
]);
const allowed = { ALLOW_PRIVATE_ADDRESSES: '127.0.0.1' };
const stack = await stopAfterAll(
  TestStack.start({
    containerEnvironment: { ...allowed, ...patient },
    workerEnvironment: {
      ...allowed,
      ...s3.environment,
      WEBHOOK_SECRET_ANNA: secret,
      WEBHOOK_SECRET_ANNA_ORIGINS: new URL(receiver.url).origin,
      WEBHOOK_SECRET_ANNA_OWNERS: 'anna',
      WEBHOOK_SECRET_BERT: secret,
      WEBHOOK_SECRET_BERT_ORIGINS: media.url,
      WEBHOOK_SECRET_BERT_OWNERS: 'bert',
    },
  }),
);
const tokens = join(folder, 'tokens.json');
const scopes = ['read', 'run', 'operate'];
await writeFile(
  tokens,
  JSON.stringify([
    { token: anna, scopes, owner: 'anna' },
    { token: bert, scopes, owner: 'bert' },
  ]),
);
const server = await stopAfterAll(
  TestServer.start({
    TEMPORAL_ADDRESS: stack.temporal.address,
    SERVER_TOKENS_FILE: tokens,
    MEDIA_ROOT: stack.containers[0]?.mediaRoot ?? '',
    ...s3.environment,
    S3_UPLOAD_PREFIX: 's3://media/uploads/',
    S3_OWNER_PREFIXES: 's3://media/owners/{owner}/',
    S3_LINK_PREFIXES: 's3://media/owners/',
  }),
);
await copyFile(speechWav, join(stack.containers[0]?.mediaRoot ?? '', 'speech.wav'));
const annas = await makeAnnasThings({ server, stack, token: anna, receiver, media, wav: await readFile(speechWav) });

const operations = Object.entries(serverOpenApi('0').paths).flatMap(([path, item]) =>
  Object.keys(item)
    .filter((key) => methods.has(key))
    .map((method) => `${method.toUpperCase()} ${path}`),
);

test('judges every operation of the OpenAPI document', () => {
  expect(Object.keys(verdicts).toSorted()).toEqual(operations.toSorted());
});

// A new name belongs into a request above. `fields.test.ts` judges the inputs of workflows.
test('judges every parameter and every text of a body', () => {
  const items = Object.values(serverOpenApi('0').paths).flatMap((item) => [item, ...Object.values(item)]);
  const parameters = items.flatMap((item): { in: string; name: string }[] => item.parameters ?? []);
  expect([...new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`))].toSorted()).toEqual([
    ...['header Idempotency-Key', 'header If-Match', 'header Last-Event-ID', 'header X-Request-Id'],
    ...['path file', 'path id', 'path model', 'path place'],
    ...['path provider', 'path ticket', 'path token', 'query before', 'query cursor', 'query expires'],
    ...['query format', 'query from', 'query hours', 'query limit', 'query owner', 'query q'],
    ...['query signature', 'query since'],
    ...['query state', 'query to'],
  ]);
  const bodies = Object.entries(describedSchemas).filter(([name]) => name.endsWith('Request'));
  const texts = bodies.flatMap(([name, schema]) => textFields(schema).map((field) => `${name} ${field}`));
  // An estimate only compares the settings of its outputs with those of the caller's own runs.
  expect(texts.filter((text) => !text.startsWith('EstimateRequest outputs[].'))).toEqual([
    ...['NewRunRequest owner', 'NewRunRequest webhook.secret', 'NewRunRequest webhook.url', 'BatchRequest ids[]'],
    ...['BatchRequest runs[].idempotencyKey', 'BatchRequest runs[].owner', 'BatchRequest runs[].webhook.secret'],
    ...['BatchRequest runs[].webhook.url', 'ThrottleRequest reason', 'S3UploadRequest filename'],
    ...['S3UploadRequest filetype', 'ReplayRequest ids[]'],
    // What is said in a transcript is stored as it is.
    ...['TranscriptRequest dropped[].text', 'TranscriptRequest language', 'TranscriptRequest missing[].error'],
    ...['TranscriptRequest segments[].speaker', 'TranscriptRequest segments[].text'],
    ...['TranscriptRequest segments[].words[].speaker', 'TranscriptRequest segments[].words[].text'],
  ]);
});

async function ask(operation: string, { path, ...asked }: Asked): Promise<ServerAnswer> {
  const method = (operation.split(' ')[0] ?? 'GET') as 'GET';
  const headers = { ...bearer(bert), ...asked.headers };
  if (!path.endsWith('/events')) return await server.call(method, path, { ...asked, headers });
  const events = await server.watch(path, headers);
  if (events.status === 200) await expect.poll(() => events.all.length).toBeGreaterThan(0);
  events.close();
  return { status: events.status, headers: {}, body: events.all };
}

/** Facts of an answer; ids of the request are replaced, because errors repeat them. */
function shown({ status, headers, body }: ServerAnswer, things: AnnasThings): unknown {
  const { 'content-type': type, location } = headers;
  // The store judges an upload's id when a signed URL is used. The signatures of two objects differ.
  let text = JSON.stringify({ status, type, location, body }).replaceAll(/\?X-Amz[^"]*|"expiresAt":"[^"]*"/g, '');
  const { runs, uploads, s3Upload, s3Name, s3Source, object, messages } = things;
  for (const [name, value] of Object.entries({ runs, uploads, s3Upload, s3Source, s3Name, object, messages })) {
    for (const one of [value].flat()) {
      for (const spelling of [one, encoded(one), JSON.stringify(one).slice(1, -1)])
        text = text.replaceAll(spelling, name);
    }
  }
  return text;
}

function expectNothingOfAnna(answer: ServerAnswer, asked: Asked): void {
  const text = JSON.stringify([answer.body, answer.headers]);
  const sent = JSON.stringify(asked);
  for (const secret of [
    annas.runs,
    annas.uploads,
    annas.s3Upload,
    annas.messages,
    annas.files,
    annas.tickets,
    annas.words,
  ].flat()) {
    if (!sent.includes(secret)) expect(text, JSON.stringify(asked)).not.toContain(secret);
  }
}

test.each(Object.entries(verdicts))('shows Bert nothing of Anna’s: %s', async (operation, verdict) => {
  if (verdict.kind !== 'hidden') {
    for (const asked of verdict.asks(annas)) {
      const answer = await ask(operation, asked);
      if (verdict.kind === 'refused') expect(answer.status, asked.path).toBe(verdict.status);
      expectNothingOfAnna(answer, asked);
    }
    return;
  }
  const unknown = annas.unknown();
  for (const [asked, alike] of verdict.asks(annas, unknown)) {
    const answer = await ask(operation, asked);
    expect(answer.status, JSON.stringify([asked, answer.body])).not.toBe(500);
    expect(shown(answer, annas), JSON.stringify(asked)).toBe(shown(await ask(operation, alike), unknown));
    expectNothingOfAnna(answer, asked);
  }
});

test('starts nothing in Anna’s name', async () => {
  const input = { sourceUrl: 'https://in.test/a', outputs: [output] };
  for (const run of [
    { workflow: 'encode', input: { ...input, owner: 'anna' } },
    { workflow: 'encode', input, owner: 'anna' },
    { workflow: 'encode', input, owner: 'anna', idempotencyKey: annas.key },
  ]) {
    const { idempotencyKey, ...alone } = run;
    const headers = { ...bearer(bert), ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) };
    expect((await server.post('/api/runs', alone, headers)).status).toBe(403);
    const batch = await server.post('/api/runs:batch', { action: 'start', runs: [run] }, bearer(bert));
    expect(batch.body.results).toMatchObject([{ status: 403 }]);
  }
});

test('an upload in parts to Anna’s id stays in Bert’s folder, and the store refuses it', async () => {
  const path = `/api/uploads/s3/${encoded(annas.s3Upload)}/parts`;
  const { body } = await server.post(path, { parts: [1] }, bearer(bert));
  const stored = await fetch(body.urls[0].url, { method: 'PUT', body: await readFile(speechWav) });
  expect(stored.status).toBe(404);
});

test('an Idempotency-Key of Anna’s is a new key of Bert’s', async () => {
  const headers = { ...bearer(bert), 'idempotency-key': annas.key };
  const input = { sourceUrl: 'https://in.test/a', outputs: [output] };
  const started = await server.post('/api/runs', { workflow: 'encode', input }, headers);
  expect(started).toMatchObject({ status: 201, body: { owner: 'bert' } });
  expect(annas.runs).not.toContain(started.body.id);
});

test('replays no message of another run', async () => {
  const input = {
    sourceUrl: 'https://in.test/a',
    outputs: [output],
    webhook: { url: `${media.url}/hook`, secret: 'bert' },
  };
  const { body } = await server.post('/api/runs', { workflow: 'encode', input }, bearer(bert));
  const before = receiver.received.length;
  const replayed = await server.post(`/api/runs/${body.id}/webhooks/replay`, { ids: annas.messages }, bearer(bert));
  expect(replayed.status).toBe(404);
  expect(receiver.received.length).toBe(before);
});

test('no workflow of Temporal is a run of Bert’s, unless Bert started it', async () => {
  const seen: string[] = [];
  for await (const { workflowId, memo } of stack.client.workflow.list()) {
    if (JSON.stringify(memo ?? {}).includes('bert')) continue;
    seen.push(workflowId);
    const answer = await server.get(`/api/runs/${encoded(workflowId)}`, bearer(bert));
    expect(answer.status, workflowId).toBe(404);
  }
  expect(seen).toEqual(expect.arrayContaining(annas.runs));
});

// Runs last: none of the requests above changed anything.
test('leaves Anna’s things as they were', async () => {
  expect(await annas.state()).toEqual(annas.before);
});
