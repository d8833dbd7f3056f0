import { connect } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { EventStream } from '../../../server/events/event-stream.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

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

test('keeps a prompt viewer whose events of one round are more than it may be behind', async () => {
  const streams: EventStream[] = [];
  const app = express().get('/', (request, response) => void streams.push(new EventStream(request, response)));
  const server = await stopAfterTest(LoopbackServer.start(app));
  const answer = await fetch(server.url);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let round = 1; round <= 2; round += 1) {
    for (let sent = 0; sent < 30; sent += 1) streams[0]?.send('run', 'id', { text: 'x'.repeat(100_000) });
    streams[0]?.send('run', 'id', { last: round });
    let text = '';
    while (!text.includes(`{"last":${round}}`)) {
      const { done, value } = await reader.read();
      if (done) throw new Error('the server ended the stream');
      text += value;
    }
  }
  await reader.cancel();
});
