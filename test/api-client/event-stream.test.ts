import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { HoldfastClient } from '../../api-client/client.ts';
import { HoldfastError } from '../../api-client/holdfast-error.ts';
import { LoopbackServer } from '../support/loopback-server.ts';

type Answer = (response: ServerResponse) => void;

/** A server that gives its answers in turn and records the headers of the requests. */
async function serverOf(...answers: Answer[]) {
  const asked: IncomingHttpHeaders[] = [];
  const server = await LoopbackServer.start((request, response) => {
    asked.push(request.headers);
    answers.shift()?.(response);
  });
  return {
    asked,
    client: new HoldfastClient({ url: `${server.url}/`, token: 'secret-of-the-test' }),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

const runEvent = (id: string, run: object) => `event: run\nid: ${id}\ndata: ${JSON.stringify(run)}\n\n`;

const stream =
  (...texts: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const text of texts) response.write(text);
    response.end();
  };

const problem =
  (status: number, code: string, detail: string): Answer =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/problem+json', 'Retry-After': '7' });
    response.end(JSON.stringify({ code, detail }));
  };

test('follows a run across lost connections, from the last event seen to the end', async () => {
  const text = runEvent('b', { id: 'x', percent: 50, source: 'Ärger.wav' });
  await using server = await serverOf(
    stream('retry: 2000\n\n', runEvent('a', { id: 'x', percent: 10 }), ': still here\n\n', text.slice(0, 40)),
    (response) => response.writeHead(502).end('a proxy, while its server is away'),
    stream(text, runEvent('c', { id: 'x', endedAt: 'now' }), runEvent('d', { id: 'not seen any more' })),
  );
  const seen: unknown[] = [];
  const lost: unknown[] = [];
  for await (const run of server.client.follow('x', { onLost: (error) => lost.push(error) })) seen.push(run);
  expect(seen).toEqual([
    { id: 'x', percent: 10 },
    { id: 'x', percent: 50, source: 'Ärger.wav' },
    { id: 'x', endedAt: 'now' },
  ]);
  expect(server.asked.map((headers) => headers['last-event-id'])).toEqual([undefined, 'a', 'a']);
  expect(server.asked[0]?.authorization).toBe('Bearer secret-of-the-test');
  expect(lost).toMatchObject([undefined, { status: 502 }]);
});

test('throws a permanent refusal of the server without a retry', async () => {
  await using server = await serverOf(problem(404, 'not_found', 'There is no run of that id.'));
  const error: unknown = await server.client.untilEnded('x').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(HoldfastError);
  expect(error).toMatchObject({ status: 404, code: 'not_found', message: 'There is no run of that id.' });
  expect(error).toMatchObject({ retryAfterSeconds: 7 });
  expect(server.asked).toHaveLength(1);
});

test('closes the connection when the consumer stops following', async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await serverOf((response) => {
    response.on('close', () => closed.resolve());
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(runEvent('a', { id: 'x' }));
  });
  const stop = new AbortController();
  for await (const { id } of server.client.follow('x', { signal: stop.signal })) if (id === 'x') stop.abort();
  await closed.promise;
  expect(server.asked).toHaveLength(1);
});
