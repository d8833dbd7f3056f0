import type { TestProcess } from './process.ts';

/** Environment that opens Node's inspector on a free port, for measurements inside a process. */
export const withInspector = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Calls a method of the inspector's protocol. */
export type Inspect = (method: string, params?: object) => Promise<{ result: { value: string } }>;

/** Connects to the inspector of a process, which was started `withInspector`. */
export async function inspectProcess<Result>(
  { process }: { process: TestProcess },
  work: (inspect: Inspect) => Promise<Result>,
): Promise<Result> {
  const [url] = /ws:\/\/\S+/.exec(process.output) ?? [];
  if (url === undefined) throw new Error(`the process has no inspector: ${process.output}`);
  const socket = new WebSocket(url);
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    return await work((method, params = {}) => call(socket, method, params));
  } finally {
    socket.close();
  }
}

let calls = 0;

function call(socket: WebSocket, method: string, params: object): Promise<{ result: { value: string } }> {
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
