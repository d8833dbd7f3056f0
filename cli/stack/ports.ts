import { once } from 'node:events';
import { createServer, connect, type AddressInfo } from 'node:net';

export interface HostAndPort {
  host: string;
  port: number;
}

/** `127.0.0.1:7233`, `[::1]:7233`, `localhost` */
export function parseAddress(address: string, defaultPort: number): HostAndPort {
  const url = new URL(`tcp://${address}`);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? defaultPort : Number(url.port) };
}

export async function isOpen({ host, port }: HostAndPort): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

/** The wanted port, or any free one if it is taken. */
export async function freePort(wanted: number): Promise<number> {
  const port = (await listenOnce(wanted)) ?? (await listenOnce(0));
  if (port === undefined) throw new Error('this machine has no free TCP port on 127.0.0.1');
  return port;
}

async function listenOnce(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
