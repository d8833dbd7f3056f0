import type { ServerConnection } from './connection.ts';
import { HoldfastError } from './holdfast-error.ts';

const firstPauseMs = 500;
const longestPauseMs = 10_000;

export interface ServerSentEvent {
  event: string;
  id?: string;
  data: unknown;
}

export interface EventOptions {
  signal?: AbortSignal | undefined;
  /** Called when the connection is lost or cannot be made, before the next try. */
  onLost?: (error: unknown) => void;
}

/**
 * Reads Server-Sent Events and reconnects after the last event seen, until the signal is aborted or the server answers
 * 204. Throws errors that a retry cannot fix. In browsers EventSource cannot send a token, and Node has none.
 */
export async function* followEvents(
  connection: ServerConnection,
  path: string,
  { signal, onLost }: EventOptions,
): AsyncGenerator<ServerSentEvent> {
  let lastId: string | undefined;
  let pauseMs = firstPauseMs;
  while (!isAborted(signal)) {
    try {
      const headers = { Accept: 'text/event-stream', ...(lastId !== undefined && { 'Last-Event-ID': lastId }) };
      const response = await connection.request('GET', path, { headers, signal });
      if (response.status === 204 || response.body === null) return;
      for await (const event of readEvents(response.body)) {
        pauseMs = firstPauseMs;
        lastId = event.id ?? lastId;
        yield event;
      }
      onLost?.(undefined);
    } catch (error) {
      if (isAborted(signal)) return;
      if (error instanceof HoldfastError && isFinal(error)) throw error;
      onLost?.(error);
    }
    await untilWorthTrying(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Only the server's own errors have a code; a proxy may send any error while the server is down. */
function isFinal({ status, code }: HoldfastError): boolean {
  return code !== undefined && status < 500 && status !== 429;
}

/** Ends early when a laptop wakes up or the network returns. Node has no such events. */
async function untilWorthTrying(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  const page = globalThis as Partial<EventTarget>;
  await new Promise<void>((resolve) => {
    // Jitter: viewers must not all reconnect at once after the server restarts.
    const timer = setTimeout(end, pauseMs * (0.75 + Math.random() / 2));
    function end(): void {
      clearTimeout(timer);
      for (const name of ['online', 'focus']) page.removeEventListener?.(name, end);
      signal?.removeEventListener('abort', end);
      resolve();
    }
    for (const name of ['online', 'focus']) page.addEventListener?.(name, end);
    signal?.addEventListener('abort', end);
  });
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // A consumer that stops early must close the connection.
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(block: string): ServerSentEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
    }),
  );
  const [event, data, id] = [fields.get('event'), fields.get('data'), fields.get('id')];
  if (event === undefined || data === undefined) return undefined;
  return { event, data: JSON.parse(data) as unknown, ...(id !== undefined && { id }) };
}
