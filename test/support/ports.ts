import { createSocket } from 'node:dgram';
import { type EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Below those that systems give to outgoing connections: a server that is started again must find its port free. */
const range = { first: 12_000, count: 20_000 };

/** A TCP port of the loopback address on which nobody listens, and that no other test is given while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = range.first + Math.floor(Math.random() * range.count);
    if (!(await claim(port))) continue;
    const server = createServer().listen(port, '127.0.0.1');
    if (!(await listens(server))) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** What a port is for listens there later, or never. Until this process ends, UDP at the same number tells others that it is taken. */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  socket.unref();
  return await listens(socket);
}

async function listens(socket: EventEmitter): Promise<boolean> {
  return await once(socket, 'listening').then(
    () => true,
    () => false,
  );
}

/** Whether somebody listens on this port of the loopback address. */
export async function isOpen(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
