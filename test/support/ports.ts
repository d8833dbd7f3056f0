import { createSocket } from 'node:dgram';
import { type EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Ports below those of outgoing connections, so that a restarted server finds its port free. */
const range = { first: 12_000, count: 20_000 };

/** A free TCP port on loopback that no other test gets while this process lives. */
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

/** Reserves a port that is not yet in use by binding the same UDP port until this process ends. */
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

/** Whether a server listens on this loopback port. */
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
