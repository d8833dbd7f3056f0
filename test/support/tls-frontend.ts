import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { certificateOf } from './tls-server.ts';

/** Credentials of a call. */
export interface FrontendCall {
  /** `/temporal.api.workflowservice.v1.WorkflowService/…` */
  path: string;
  /** `Bearer …` */
  authorization: string | undefined;
  /** Whether the client presented `clientCertificate`. */
  hasCertificate: boolean;
}

/** A TLS proxy before a Temporal server, like Temporal Cloud, that records the callers. */
export class TlsFrontend {
  readonly address: string;
  /** Certificate of the frontend, for clients to trust. */
  readonly certificate: string;
  readonly calls: FrontendCall[] = [];
  readonly #server;
  readonly #upstream: ClientHttp2Session;

  private constructor(server: ReturnType<typeof createSecureServer>, certificate: string, temporal: string) {
    this.#server = server;
    this.certificate = certificate;
    this.address = `localhost:${(server.address() as AddressInfo).port}`;
    this.#upstream = connect(`http://${temporal}`);
    server.on('stream', (stream, headers) => this.#forward(stream, headers));
  }

  static async start(temporal: string, clientCertificate: string): Promise<TlsFrontend> {
    const { key, cert } = certificateOf('localhost');
    // Clients without a certificate are admitted; the test checks the credentials.
    const who = { ca: [clientCertificate], requestCert: true, rejectUnauthorized: false };
    const server = createSecureServer({ key, cert, ...who }).listen(0, 'localhost');
    await once(server, 'listening');
    return new TlsFrontend(server, cert, temporal);
  }

  async stop(): Promise<void> {
    this.#upstream.destroy();
    this.#server.close();
  }

  #forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const socket = stream.session?.socket;
    this.calls.push({
      path: String(headers[':path']),
      authorization: headers.authorization,
      hasCertificate: socket instanceof TLSSocket && socket.authorized,
    });
    const { ':authority': _, ':scheme': __, ...kept } = headers;
    const onward = this.#upstream.request(kept);
    let trailers: IncomingHttpHeaders = {};
    onward.on('response', (answer, flags) => {
      const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      if (!stream.destroyed) stream.respond(answer, isWhole ? { endStream: true } : { waitForTrailers: true });
    });
    onward.on('trailers', (last) => (trailers = last));
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    // If one side cancels a call, such as the poll of a stopping worker, the other side's call ends too.
    stream.once('close', () => onward.close(constants.NGHTTP2_CANCEL)).on('error', () => onward.close());
    onward.on('error', () => stream.close());
    stream.pipe(onward).pipe(stream);
  }
}
