import { once } from 'node:events';
import type { Request, Response } from 'express';

/** Shorter than the idle limits of common proxies. */
const keepAliveMs = 10_000;
/** What may lie unread for one viewer. Who is further behind is cut off, and comes back with the id of what it read last. */
const mostUnreadBytes = 1_048_576;
/** What a browser waits before it comes back. */
const retryMs = 2_000;

/** Server-Sent Events to one viewer (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class EventStream {
  readonly #response: Response;
  readonly closed: Promise<void>;

  constructor(request: Request, response: Response) {
    this.#response = response;
    response.status(200).set({
      'Content-Type': 'text/event-stream',
      // nginx would hold the events back.
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    // For the HEAD of a stream its connection would be of no use until the end.
    if (request.method === 'HEAD') response.end();
    else response.write(`retry: ${retryMs}\n\n`);
    const keepAlive = setInterval(() => this.#write(': still here\n\n'), keepAliveMs);
    // The viewer may have gone while it was waited for what it is to see.
    const gone = response.destroyed ? Promise.resolve() : once(response, 'close');
    this.closed = gone.then(() => clearInterval(keepAlive));
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** JSON has no line breaks, which would end the data. */
  send(event: string, id: string, data: unknown): void {
    this.#write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    this.#response.end();
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    if (this.#response.writableLength > mostUnreadBytes) this.#response.destroy();
    else this.#response.write(text);
  }
}
