import type { TestProcess } from './process.ts';

/** Environment that opens Node's inspector on a free port, for measurements of memory. */
export const withInspector = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

interface Memory {
  heapUsed: number;
  external: number;
}

/** Bytes in V8's heap and in buffers after a full garbage collection. */
export async function heldBytes({ process }: { process: TestProcess }): Promise<number> {
  const [url] = /ws:\/\/\S+/.exec(process.output) ?? [];
  if (url === undefined) throw new Error(`the process has no inspector: ${process.output}`);
  const socket = new WebSocket(url);
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    // The second round collects what finalizers of the first have released.
    for (let round = 0; round < 2; round += 1) await call(socket, 'HeapProfiler.collectGarbage');
    const expression = 'JSON.stringify(process.memoryUsage())';
    const { result } = await call(socket, 'Runtime.evaluate', { expression });
    const { heapUsed, external } = JSON.parse(result.value) as Memory;
    return heapUsed + external;
  } finally {
    socket.close();
  }
}

let calls = 0;

function call(socket: WebSocket, method: string, params: object = {}): Promise<{ result: { value: string } }> {
  calls += 1;
  const id = calls;
  return new Promise((resolve) => {
    const listen = ({ data }: MessageEvent): void => {
      const answer = JSON.parse(String(data));
      if (answer.id !== id) return;
      socket.removeEventListener('message', listen);
      resolve(answer.result);
    };
    socket.addEventListener('message', listen);
    socket.send(JSON.stringify({ id, method, params }));
  });
}
