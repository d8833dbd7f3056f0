import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Below those that systems give to outgoing connections: a server that is started again must find its port free. */
const range = { first: 12_000, count: 20_000 };

/** A TCP port of the loopback address that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = range.first + Math.floor(Math.random() * range.count);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
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
