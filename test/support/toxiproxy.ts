import { request } from 'undici';
import { freePort } from './ports.ts';
import { TestProcess, testEnvironment } from './process.ts';
import { toolPath } from './tools.ts';

const toxiproxyPath = await toolPath('TOXIPROXY_PATH');

/** A fault of the network (https://github.com/Shopify/toxiproxy#toxics). */
export type Toxic =
  /** Rate in kB/s; delayed bytes pass at once when the toxic is removed. */
  | { type: 'bandwidth'; attributes: { rate: number } }
  /** Delay in milliseconds. */
  | { type: 'latency'; attributes: { latency: number } }
  /** Bytes after which the connection is closed. */
  | { type: 'limit_data'; attributes: { bytes: number } };

/** An address of the proxy server before a part that a test disconnects. */
export interface Proxy {
  /** `http://127.0.0.1:…` */
  url: string;
  /**
   * Adds a toxic; `upstream` is what the caller sends. Returns a function that removes it, which waits up to 10 s for
   * connections that were closed in use (Toxiproxy's `RemoveToxic`).
   */
  poison(stream: 'upstream' | 'downstream', toxic: Toxic): Promise<() => Promise<void>>;
  /** Refuses new connections and closes open ones until `mend`. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export interface Toxiproxy {
  /** `target` is `host:port` or an http URL. */
  proxy(target: string): Promise<Proxy>;
  /** Removes the toxics of all proxies and mends them. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function startToxiproxy(): Promise<Toxiproxy> {
  const port = await freePort();
  const server = new TestProcess(
    'toxiproxy',
    toxiproxyPath,
    ['-host', '127.0.0.1', '-port', `${port}`],
    testEnvironment(),
  );
  const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown> => {
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`toxiproxy: ${method} ${path}: ${answer.statusCode} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  await server.until('answer', () =>
    call('GET', '/version').then(
      () => true,
      () => false,
    ),
  );

  let count = 0;
  return {
    async proxy(target) {
      count += 1;
      const name = `proxy-${count}`;
      const listen = `127.0.0.1:${await freePort()}`;
      await call('POST', '/proxies', { name, listen, upstream: target.replace(/^http:\/\//, ''), enabled: true });
      return {
        url: `http://${listen}`,
        async poison(stream, toxic) {
          const { name: toxicName } = (await call('POST', `/proxies/${name}/toxics`, { ...toxic, stream })) as {
            name: string;
          };
          return async () => void (await call('DELETE', `/proxies/${name}/toxics/${toxicName}`));
        },
        cut: async () => void (await call('POST', `/proxies/${name}`, { enabled: false })),
        mend: async () => void (await call('POST', `/proxies/${name}`, { enabled: true })),
      };
    },
    reset: async () => void (await call('POST', '/reset')),
    stop: async () => void (await server.stop('SIGTERM', 5_000)),
  };
}
