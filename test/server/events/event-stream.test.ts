import { connect } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { EventStream } from '../../../server/events/event-stream.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';

test('disconnects a viewer that does not read before its events fill the memory', async () => {
  const streams: EventStream[] = [];
  const app = express();
  app.get('/', (request, response) => void streams.push(new EventStream(request, response)));
  const server = await LoopbackServer.start(app);
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  // The client sends a request and reads nothing.
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  while (streams.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const [stream] = streams;
  const event = { text: 'x'.repeat(100_000) };
  // The kernel's buffers take some megabytes.
  for (let sent = 0; sent < 500; sent += 1) {
    stream?.send('run', String(sent), event);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(stream?.isOpen).toBe(false);
  await stream?.closed;
  socket.destroy();
  await server.stop();
});
