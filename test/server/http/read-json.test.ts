import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import express, { type ErrorRequestHandler, type Response } from 'express';
import { expect, test } from 'vitest';
import { authenticate } from '../../../server/access/authenticate.ts';
import { asProblem, sendProblem } from '../../../server/http/failures.ts';
import { readJson } from '../../../server/http/read-json.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

/** Paths of the requests whose caller is known, and whose handler has begun. */
const seen = { known: [] as string[], handled: [] as string[] };
const waiting: Response[] = [];

const app = express();
app.use(
  authenticate(
    async (request) => {
      if (request.path.endsWith('/slow-sign-in')) await closed(request.socket);
      seen.known.push(request.path);
      const [, owner = ''] = request.path.split('/');
      return { id: owner, owner, scopes: new Set() };
    },
    (_request, _response, next) => next(),
  ),
);
app.post('/:owner/:kind', readJson, (request, response) => {
  seen.handled.push(request.path);
  if (request.path.endsWith('/long')) waiting.push(response);
  else response.end();
});
const answerError: ErrorRequestHandler = (error, _request, response, _next) => sendProblem(response, asProblem(error));
app.use(answerError);
const server = await stopAfterAll(LoopbackServer.start(app));

const large = `{}${' '.repeat(300_000)}`;

/** Unlike `once`, does not fail if the connection ends with an error. */
async function closed(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => void socket.once('close', () => resolve()));
}

async function statusOf(path: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(server.url + path, { method: 'POST', headers, body: large })).status;
}

async function open(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

function headOf(path: string, framing: string): string {
  return [`POST ${path} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', framing, '', ''].join('\r\n');
}

function countOf(paths: readonly string[], path: string): number {
  return paths.filter((each) => each === path).length;
}

test('clients that disconnect while they are identified hold no places of large requests', async () => {
  const path = '/anna/slow-sign-in';
  for (let count = 0; count < 4; count += 1) {
    const socket = await open();
    socket.end(headOf(path, 'Content-Length: 300000'));
    socket.destroySoon();
  }
  await expect.poll(() => countOf(seen.known, path)).toBe(4);
  expect(await statusOf('/anna/short')).toBe(200);
});

test('small requests whose length is not declared hold no places after they were read', async () => {
  const path = '/carl/long';
  for (let count = 0; count < 4; count += 1) {
    const socket = await open();
    socket.write(`${headOf(path, 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`);
  }
  await expect.poll(() => countOf(seen.handled, path)).toBe(4);
  expect(await statusOf('/carl/short')).toBe(200);
  for (const response of waiting) response.end();
});
