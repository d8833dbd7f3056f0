import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limitBodyTime } from '../../../server/access/body-time.ts';

/** Time between two bytes of a client that never finishes its body. */
const betweenMs = 20;
const limits = { wholeMs: 300, idleMs: 150 };

let server: Server;

beforeAll(async () => {
  const app = express();
  app.use(limitBodyTime(limits));
  app.post(['/api/runs', '/api/uploads/s3', '/api/uploads'], (request, response) => {
    if (request.headers.authorization === undefined) response.status(401).end();
    // An accepted body is read to its end.
    else request.resume().once('end', () => response.end());
  });
  server = createServer({ keepAliveTimeout: limits.wholeMs }, app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
});

interface Sent {
  /** Status line of the answer; empty if there was none. */
  status: string;
  tookMs: number;
}

/** Sends a body byte by byte until the server closes the connection. The last `missing` bytes are never sent. */
async function untilClosed(
  path: string,
  { bytes, missing = 0, authorized = true }: { bytes: number; missing?: number; authorized?: boolean },
): Promise<Sent> {
  const start = performance.now();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  let answer = '';
  socket.on('data', (part: Buffer) => (answer += part.toString()));
  const authorization = authorized ? 'Authorization: Bearer x\r\n' : '';
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: ${bytes + missing}\r\n\r\n`);
  let sent = 0;
  const drip = setInterval(() => {
    if (sent < bytes) socket.write('x');
    sent += 1;
  }, betweenMs);
  await once(socket, 'close');
  clearInterval(drip);
  return { status: answer.split('\r\n')[0] ?? '', tookMs: performance.now() - start };
}

const endless = 100_000;

test.each(['/api/runs', '/api/uploads', '/api/uploads/s3'])(
  'closes the connection of a client that continues its body to %s after a refusal',
  async (path) => {
    const { status } = await untilClosed(path, { bytes: endless, authorized: false });
    expect(status).toBe('HTTP/1.1 401 Unauthorized');
  },
);

test.each(['/api/runs', '/api/uploads/s3', '/API/RUNS'])(
  'closes the connection of a client whose request to %s is not complete in time',
  async (path) => {
    expect((await untilClosed(path, { bytes: endless })).status).toBe('');
  },
);

test('closes the connection of an upload that has stopped', async () => {
  expect((await untilClosed('/api/uploads', { bytes: 1, missing: 1 })).status).toBe('');
});

test('accepts an upload that is slow and does not stop, and then closes the idle connection', async () => {
  const { status, tookMs } = await untilClosed('/api/uploads', { bytes: 2 * (limits.wholeMs / betweenMs) });
  expect(status).toBe('HTTP/1.1 200 OK');
  expect(tookMs).toBeGreaterThan(2 * limits.wholeMs);
});
