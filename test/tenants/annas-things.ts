import { randomUUID } from 'node:crypto';
import type { MediaServer } from '../fixtures/media-server.ts';
import type { WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { bearer } from '../server/access/token-holders.ts';
import type { ServerAnswer, TestServer } from '../support/server.ts';
import type { TestStack } from '../support/stack.ts';

/** Everything that an owner has at a server, by the ids that requests use. */
export interface AnnasThings {
  /** A run that has succeeded, and one that is running. */
  runs: string[];
  /** A finished upload, and an unfinished one. */
  uploads: string[];
  s3Upload: string;
  /** Name of the upload's object, which is part of its id. */
  s3Name: string;
  s3Source: string;
  /** An object under the owner's prefix. */
  object: string;
  messages: string[];
  key: string;
  cursor: string;
  eventId: string;
  /** Links to files. */
  files: string[];
  /** Tickets of share links. */
  tickets: string[];
  /** Words that only the owner's answers contain. */
  words: string[];
}

export interface Made extends AnnasThings {
  /** Ids of the same form that nobody has. */
  unknown(): AnnasThings;
  state(): Promise<unknown>;
  before: unknown;
}

interface World {
  server: TestServer;
  stack: TestStack;
  token: string;
  receiver: WebhookReceiver;
  media: MediaServer;
  wav: Buffer;
}

const tus = { 'tus-resumable': '1.0.0' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function must(answer: ServerAnswer, status: number): ServerAnswer {
  if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

async function upload({ server, token, wav }: World, sent: number): Promise<string> {
  const metadata = `filename ${base64('annas-secret.wav')},filetype ${base64('audio/wav')}`;
  const headers = { ...bearer(token), ...tus, 'upload-length': String(wav.length), 'upload-metadata': metadata };
  const begun = must(await server.call('POST', '/api/uploads', { headers }), 201);
  const id = decodeURIComponent(String(begun.headers['location']).split('/').at(-1) ?? '');
  const patch = { ...bearer(token), ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  const path = `/api/uploads/${encodeURIComponent(id)}`;
  must(await server.call('PATCH', path, { headers: patch, text: wav.subarray(0, sent) }), 204);
  return id;
}

const base64Url = (text: string): string => Buffer.from(text).toString('base64url');
const textOf = (id: string): string => Buffer.from(id, 'base64url').toString();

/** Changes each letter and digit of an id's end, so that only the form is the same. */
function alike(id: string): string {
  return id.replaceAll(/[0-9a-f](?=[^/]{0,11}$)/g, (digit) => (digit === '0' ? '1' : '0'));
}

export async function makeAnnasThings(world: World): Promise<Made> {
  const { server, stack, token, receiver, media, wav } = world;
  const headers = bearer(token);
  const uploads = [await upload(world, wav.length), await upload(world, 4)];
  const key = randomUUID();
  const webhook = { url: receiver.url, secret: 'anna' };
  const done = await server.post(
    '/api/runs',
    {
      workflow: 'encode',
      input: {
        sourceUrl: `upload:${uploads[0]}`,
        outputs: [{ format: 'flac', uploadUrl: 'result:annas-secret.flac' }],
        webhook,
      },
    },
    { ...headers, 'idempotency-key': key },
  );
  must(done, 201);
  await stack.client.workflow.getHandle(done.body.id).result();
  media.on('GET /annas-secret-source.wav', () => undefined);
  const sourceUrl = `${media.url}/annas-secret-source.wav`;
  const outputs = [{ format: 'flac', uploadUrl: 'result:annas-secret.flac' }];
  const running = must(
    await server.post('/api/runs', { workflow: 'encode', input: { sourceUrl, outputs } }, headers),
    201,
  );
  await stack.worker.until('request for the source', () => media.requests.includes('GET /annas-secret-source.wav'));
  const begun = await server.post('/api/uploads/s3', { filename: 'talk.wav', bytes: wav.length }, headers);
  const { id: s3Upload, source: s3Source } = must(begun, 201).body;
  const runs = [done.body.id, running.body.id];
  const messagesOf = async (): Promise<{ id: string; state: string }[]> =>
    (await server.get(`/api/runs/${runs[0]}/webhooks`, headers)).body.messages;
  await stack.worker.until('delivered messages', async () => {
    const messages = await messagesOf();
    return messages.length === 2 && messages.every(({ state }) => state === 'delivered');
  });
  const events = await server.watch('/api/events', headers);
  await stack.worker.until('an event', () => events.all.length > 0);
  events.close();
  const share = must(await server.post(`/api/runs/${runs[0]}/share`, undefined, headers), 201).body.url as string;
  const details = must(await server.get(`/api/runs/${runs[0]}`, headers), 200).body;
  const state = async (): Promise<unknown> => {
    const views = await Promise.all(runs.map(async (id) => (await server.get(`/api/runs/${id}`, headers)).body));
    const offsets = await Promise.all(
      uploads.map(async (id) => {
        const path = `/api/uploads/${encodeURIComponent(id)}`;
        return (await server.call('HEAD', path, { headers: { ...headers, ...tus } })).headers['upload-offset'];
      }),
    );
    const parts = await server.get(`/api/uploads/s3/${encodeURIComponent(s3Upload)}`, headers);
    return {
      runs: views.map(({ id, state, priority, result }) => ({ id, state, priority, result })),
      offsets,
      parts: [parts.status, parts.body.uploaded],
      messages: await messagesOf(),
      list: (await server.get('/api/runs', headers)).body.runs.map(({ id }: { id: string }) => id),
    };
  };
  const things: AnnasThings = {
    runs,
    uploads,
    s3Upload,
    s3Name: s3Source.split('/').at(-1) ?? '',
    s3Source,
    object: 's3://media/owners/anna/secret.wav',
    messages: (await messagesOf()).map(({ id }) => id),
    key,
    cursor: (await server.get('/api/runs?limit=1', headers)).body.nextCursor,
    eventId: events.all.at(-1)?.id ?? '',
    files: details.files.map(({ url }: { url: string }) => url),
    tickets: [share.split('#')[1] ?? ''],
    words: ['annas-secret', s3Source.split('/').at(-2) ?? ''],
  };
  const { s3Name } = things;
  const other = (s3Name.startsWith('A') ? 'B' : 'A') + s3Name.slice(1);
  const unknown = (): AnnasThings => ({
    ...things,
    runs: runs.map(alike),
    uploads: uploads.map(alike),
    s3Upload: base64Url(textOf(s3Upload).replace(things.s3Name, other)),
    s3Name: other,
    s3Source: s3Source.replace(things.s3Name, other),
    object: 's3://media/owners/nobody/secret.wav',
    messages: things.messages.map(alike),
  });
  return { ...things, unknown, state, before: await state() };
}
