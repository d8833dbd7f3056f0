import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import express from 'express';
import { afterEach, expect, test, vi } from 'vitest';
import { limitBodyTime } from '../../../server/access/body-time.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const limits = { wholeMs: 300, idleMs: 150 };

const app = express();
app.use(limitBodyTime(limits));
app.post(['/api/runs', '/api/uploads/s3', '/api/uploads'], (request, response) => {
  if (request.headers.authorization === undefined) response.status(401).end();
  // An accepted body is read to its end.
  else request.resume().once('end', () => response.end());
});
const server = await stopAfterAll(LoopbackServer.start(app, { keepAliveTimeout: limits.wholeMs }));

afterEach(() => void vi.useRealTimers());

interface Post {
  socket: Socket;
  /** Status line of the answer once the server has closed the connection; empty if there was none. */
  status: Promise<string>;
}

/** Sends the head of a request. */
function post(path: string, bytes: number, authorized = true): Post {
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
  let answer = '';
  socket.on('data', (part: Buffer) => (answer += part.toString()));
  const authorization = authorized ? 'Authorization: Bearer x\r\n' : '';
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: ${bytes}\r\n\r\n`);
  const status = new Promise<string>((resolve) => {
    // A reset connection closes too.
    socket.once('close', () => resolve(answer.split('\r\n')[0] ?? ''));
  });
  return { socket, status };
}

/** Sends an endless body byte by byte until the server closes the connection. */
async function untilClosed(path: string, authorized = true): Promise<string> {
  const { socket, status } = post(path, 100_000, authorized);
  const drip = setInterval(() => socket.write('x'), 20);
  try {
    return await status;
  } finally {
    clearInterval(drip);
  }
}

test.each(['/api/runs', '/api/uploads', '/api/uploads/s3'])(
  'closes the connection of a client that continues its body to %s after a refusal',
  async (path) => {
    expect(await untilClosed(path, false)).toBe('HTTP/1.1 401 Unauthorized');
  },
);

test.each(['/api/runs', '/api/uploads/s3', '/API/RUNS'])(
  'closes the connection of a client whose request to %s is not complete in time',
  async (path) => {
    expect(await untilClosed(path)).toBe('');
  },
);

test('closes the connection of an upload that has stopped', async () => {
  const { socket, status } = post('/api/uploads', 2);
  socket.write('x');
  expect(await status).toBe('');
});

test('accepts an upload that is slow and does not stop, and then closes the idle connection', async () => {
  // A byte that arrives late by the real clock would end the upload.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const bytes = 2 * (limits.wholeMs / limits.idleMs);
  const arrived = once(server.http, 'request');
  const { socket, status } = post('/api/uploads', bytes + 1);
  const [request] = (await arrived) as [IncomingMessage];
  for (let sent = 0; sent < bytes; sent += 1) {
    const read = once(request, 'data');
    socket.write('x');
    await read;
    vi.advanceTimersByTime(limits.idleMs);
  }
  vi.useRealTimers();
  socket.write('x');
  expect(await status).toBe('HTTP/1.1 200 OK');
});
