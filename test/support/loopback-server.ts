import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Answers a request. If the client disconnects before its body is read, the handler fails outside any test. */
export async function answerRequest(
  handler: Handler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await handler(request, response);
  } catch (error) {
    // Any other error is the handler's own.
    if (error !== request.errored) throw error;
  }
}

/** An HTTP server on a free port of loopback. */
export class LoopbackServer {
  readonly http: Server;
  readonly port: number;
  readonly url: string;

  private constructor(http: Server) {
    this.http = http;
    this.port = (http.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
  }

  static async start(listener?: RequestListener, options: ServerOptions = {}): Promise<LoopbackServer> {
    const http = createServer(options, listener).listen(0, '127.0.0.1');
    await once(http, 'listening');
    return new LoopbackServer(http);
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    this.http.close();
    await once(this.http, 'close');
  }
}

/** A fixture with a server of its own. */
export abstract class LoopbackFixture {
  readonly url: string;
  readonly #server: LoopbackServer;

  /** `path`: place of the fixture at its server. */
  protected constructor(server: LoopbackServer, path = '') {
    this.#server = server;
    this.url = server.url + path;
  }

  /** May be called again. */
  async stop(): Promise<void> {
    if (this.#server.http.listening) await this.#server.stop();
  }
}
