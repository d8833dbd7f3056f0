import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** Bytes that a browser's connection carries in a second. */
const uploadBytesPerSecond = 2 * 2 ** 20;

interface Endpoint {
  url: URL;
  /** Kept connections, as those of an ingress controller. */
  agent: Agent;
}

/**
 * A reverse proxy in the place of a Kubernetes Service with an Ingress. Requests go to the endpoints in turn. The proxy
 * repeats no request: if an endpoint does not answer, the client gets 502.
 */
export class ServiceStandIn {
  readonly #endpoints: Endpoint[] = [];
  readonly #server = createServer((incoming, answer) => this.#forward(incoming, answer));
  #next = 0;

  static async start(): Promise<ServiceStandIn> {
    const service = new ServiceStandIn();
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Adds a server once it is ready. */
  async add(url: string): Promise<void> {
    while ((await fetch(`${url}/ready`).catch(() => undefined))?.status !== 200) await delay(200);
    this.#endpoints.push({ url: new URL(url), agent: new Agent({ keepAlive: true }) });
  }

  remove(url: string): void {
    const index = this.#endpoints.findIndex((endpoint) => endpoint.url.href === new URL(url).href);
    this.#endpoints.splice(index, 1);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #forward(incoming: IncomingMessage, answer: ServerResponse): void {
    const endpoint = this.#endpoints[(this.#next += 1) % this.#endpoints.length];
    if (endpoint === undefined) return void answer.writeHead(503).end();
    const { url, agent } = endpoint;
    const { method = 'GET', url: path = '/', headers } = incoming;
    const forwarded = request({ host: url.hostname, port: url.port, agent, method, path, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
      from.once('error', () => answer.destroy());
    });
    forwarded.once('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.once('close', () => forwarded.destroy());
    if (method === 'PATCH') incoming.pipe(slowly(uploadBytesPerSecond)).pipe(forwarded);
    else incoming.pipe(forwarded);
  }
}

function slowly(bytesPerSecond: number): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      setTimeout(() => done(null, chunk), (chunk.length / bytesPerSecond) * 1_000);
    },
  });
}
