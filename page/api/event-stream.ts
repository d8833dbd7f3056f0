import { readProblem } from './call.ts';
import { tokenHeaders } from './token.ts';

const firstPauseMs = 500;
const longestPauseMs = 10_000;

export interface ServerEvent {
  event: string;
  data: unknown;
}

interface Listeners {
  onEvent(event: ServerEvent): void;
  onLost(error: unknown): void;
}

/**
 * Server-Sent Events until the signal is aborted, again and again after a break, from where they broke. The browser's own EventSource
 * sends no token.
 */
export async function followEvents(path: string, listeners: Listeners, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    try {
      const headers = { ...tokenHeaders(), Accept: 'text/event-stream', ...(lastId && { 'Last-Event-ID': lastId }) };
      const response = await fetch(path, { headers, signal });
      if (!response.ok || response.body === null) throw await readProblem(response);
      for await (const { id, ...event } of readEvents(response.body)) {
        pauseMs = firstPauseMs;
        lastId = id ?? lastId;
        listeners.onEvent(event);
      }
      listeners.onLost(undefined);
    } catch (error) {
      if (signal.aborted) return;
      listeners.onLost(error);
    }
    await untilWorthTrying(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

/** A laptop that was opened again, or a line that is back, does not wait for the timer. */
async function untilWorthTrying(pauseMs: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    // Spread, so that the pages of a server that was restarted do not all come in one moment.
    const timer = setTimeout(end, pauseMs * (0.75 + Math.random() / 2));
    function end(): void {
      clearTimeout(timer);
      for (const name of ['online', 'focus']) removeEventListener(name, end);
      signal.removeEventListener('abort', end);
      resolve();
    }
    for (const name of ['online', 'focus']) addEventListener(name, end);
    signal.addEventListener('abort', end);
  });
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent & { id?: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (text + value).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

function parseEvent(block: string): (ServerEvent & { id?: string }) | undefined {
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
