import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longestTurnDuring } from '../../support/event-loop.ts';
import { useFolder } from '../../support/folder.ts';
import { withInspector } from '../../support/inspector.ts';
import { TestServer } from '../../support/server.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const folder = useFolder();
const token = 'bert-0123456789abcdef';

const tokens = join(folder, 'tokens.json');
await writeFile(tokens, JSON.stringify([{ token, scopes: ['run'], owner: 'bert' }]));
// No request needs Temporal.
const settings = { TEMPORAL_ADDRESS: '127.0.0.1:1', SERVER_TOKENS_FILE: tokens };
const server = await stopAfterAll(TestServer.start({ ...settings, ...withInspector }));

const list = (item: string, bytes = 3_900_000): string => `[${`${item},`.repeat(bytes / (item.length + 1))}${item}]`;

test.each<['POST' | 'PUT', string, string, string, number]>([
  ['POST', 'runs', 'numbers', `{"workflow":"encode","input":{"x":${list('0')}}}`, 413],
  ['POST', 'runs', 'outputs', `{"workflow":"encode","input":{"outputs":${list('{}')}}}`, 413],
  ['POST', 'runs', 'outputs of a valid count', `{"workflow":"encode","input":{"outputs":${list('{}', 290_000)}}}`, 400],
  ['POST', 'runs', 'texts', `{"workflow":"chunking","input":{"chunks":${list('""', 290_000)}}}`, 400],
  ['POST', 'runs:batch', 'runs', `{"action":"start","runs":${list('{}')}}`, 413],
  ['PUT', 'runs/a/transcript', 'segments', `{"segments":${list('{}', 290_000)}}`, 400],
  ['PUT', 'runs/a/transcript', 'words', `{"segments":[{"words":${list('{}', 290_000)}}]}`, 400],
  ['PUT', 'runs/a/transcript', 'gaps', `{"missing":${list('{}', 290_000)}}`, 400],
  ['PUT', 'runs/a/transcript', 'silent chunks', `{"withoutSpeech":${list('{}', 290_000)}}`, 400],
  ['PUT', 'runs/a/transcript', 'dropped texts', `{"dropped":${list('{}', 290_000)}}`, 400],
  ['POST', 'inspect', 'fields', `{"sourceUrl":"https://media.test/a","x":${list('0')}}`, 413],
])('%s /api/%s with very many %s does not hold up the others', async (method, path, _, text, status) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const longestMs = await longestTurnDuring(server, async () => {
    expect(await server.call(method, `/api/${path}`, { text, headers })).toMatchObject({ status });
    // The turn that answers is measured when it has ended.
    await server.get('/api/openapi.json');
  });
  expect(longestMs).toBeLessThan(150);
});

test('refuses a body in another encoding than UTF-8, in which values are not counted', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-16le' };
  const answer = await server.call('POST', '/api/runs', { text: Buffer.from('{"x":"\\""}', 'utf16le'), headers });
  expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
});

test('refuses more than four large requests of one owner at a time', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const start = async (length: number) =>
    await server.call('POST', '/api/runs', { text: `{"workflow":"none"${' '.repeat(length)}}`, headers });
  const held = await Promise.all(
    [
      'Content-Length: 300000',
      'Content-Length: 4000000',
      'Transfer-Encoding: chunked',
      'Content-Encoding: gzip\r\nContent-Length: 9',
    ].map(hold),
  );
  expect((await start(300_000)).status).toBe(429);
  expect((await start(0)).status).toBe(400);
  for (const socket of held) socket.destroy();
  await expect.poll(async () => (await start(300_000)).status).toBe(400);
});

/** Begins a request whose body does not come. Node asks for the body in the turn in which it begins with the request. */
async function hold(framing: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = [
    'POST /api/runs HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Expect: 100-continue',
  ];
  socket.write([...head, framing, '', ''].join('\r\n'));
  await once(socket, 'data');
  return socket;
}
