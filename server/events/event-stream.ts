import { once } from 'node:events';
import type { Request, Response } from 'express';

/** Shorter than the idle limits of common proxies. */
const keepAliveMs = 10_000;
/** Limit of buffered bytes for one viewer. A slower viewer is disconnected and resumes by Last-Event-ID. */
export const mostUnreadBytes = 1_048_576;
/** Delay before a browser reconnects. */
const retryMs = 2_000;

/** Server-Sent Events to one viewer (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class EventStream {
  readonly #response: Response;
  readonly closed: Promise<void>;
  /**
   * Bytes that were buffered before the events that are written now; undefined before the first of them. Node sends none
   * of these before the next turn of the event loop.
   */
  #unreadBytes: number | undefined;

  constructor(request: Request, response: Response) {
    this.#response = response;
    response.status(200).set({
      'Content-Type': 'text/event-stream',
      // nginx would otherwise buffer the events.
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    // An answer to HEAD would keep its connection busy until the stream ends.
    if (request.method === 'HEAD') response.end();
    else response.write(`retry: ${retryMs}\n\n`);
    const keepAlive = setInterval(() => this.#write(': still here\n\n'), keepAliveMs);
    // The viewer may have disconnected before the stream opened.
    const gone = response.destroyed ? Promise.resolve() : once(response, 'close');
    this.closed = gone.then(() => clearInterval(keepAlive));
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** `JSON.stringify` writes no line breaks, which would end the event's data. */
  send(event: string, id: string, data: unknown): void {
    this.#write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    this.#response.end();
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    if (this.#unreadBytes === undefined) {
      this.#unreadBytes = this.#response.writableLength;
      setImmediate(() => (this.#unreadBytes = undefined));
    }
    if (this.#unreadBytes > mostUnreadBytes) this.#response.destroy();
    else this.#response.write(text);
  }
}
