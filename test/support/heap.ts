import type { TestProcess } from './process.ts';

/** The environment of a process whose memory is to be measured: it opens Node's inspector on a free port. */
export const withInspector = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

interface Memory {
  heapUsed: number;
  external: number;
}

/** Bytes that a process of ours, such as a container's, holds when everything has been collected that can be, in V8's heap and in buffers beside it. */
export async function heldBytes({ process }: { process: TestProcess }): Promise<number> {
  const [url] = /ws:\/\/\S+/.exec(process.output) ?? [];
  if (url === undefined) throw new Error(`the process has no inspector: ${process.output}`);
  const socket = new WebSocket(url);
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    // The second finds what the finalizers of the first have let go.
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
