import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { operationAt, serverOpenApi } from '../../server/http/openapi.ts';
import { type Environment, startNode, type TestProcess } from './process.ts';

const documented: Record<string, Record<string, object>> = serverOpenApi('').paths;

export interface ServerAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it field by field
  body: any;
}

interface CallOptions {
  /** Body that is sent as JSON. */
  body?: unknown;
  /** Body that is sent unchanged. */
  text?: string | Buffer;
  headers?: Record<string, string>;
}

interface TestEvent {
  event: string;
  id: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it field by field
  data: any;
}

export class TestEvents {
  readonly status: number;
  readonly all: TestEvent[] = [];
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  /** True if the connection ended before the stream did. */
  isBrokenOff = false;
  readonly #body: Readable;

  constructor(status: number, body: Readable) {
    this.status = status;
    this.#body = body;
    this.ended = this.#read();
  }

  close(): void {
    this.#body.destroy();
  }

  async #read(): Promise<void> {
    let text = '';
    try {
      for await (const chunk of this.#body) {
        const blocks = (text + String(chunk)).split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const fields = new Map(
            block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
          );
          const [event, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')];
          if (event === undefined || id === undefined || data === undefined) continue;
          this.all.push({ event, id, data: JSON.parse(data) });
        }
      }
    } catch {
      // `close` of this class also ends the stream here.
      this.isBrokenOff = true;
    }
  }
}

/** Parses JSON, and returns files and answers of tus unchanged. */
function parseBody(text: string, type: string | string[] | undefined): unknown {
  return String(type).includes('json') ? JSON.parse(text) : text;
}

/** Throws if the OpenAPI document has the operation, but not its success. */
function expectDocumented(method: string, path: string, status: number): void {
  const [verb = '', template = ''] = operationAt(method, path.split('?')[0] ?? '')?.split(' ') ?? [];
  const { responses = {} }: { responses?: object } = documented[template]?.[verb.toLowerCase()] ?? {};
  if (status < 300 && template !== '' && !Object.hasOwn(responses, status))
    throw new Error(`${method} ${path} was answered ${status}, which the OpenAPI document does not list.`);
}

/** The real server as a separate process on a free port. */
export class TestServer {
  readonly process: TestProcess;
  readonly url: string;
  /** A new connection for each request: a pooled one could be closed by a server that a test restarts. */
  readonly #agent = new Agent({ pipelining: 0 });

  private constructor(process: TestProcess, url: string) {
    this.process = process;
    this.url = url;
  }

  static async start(environment: Environment): Promise<TestServer> {
    const process = startNode('server/main.ts', { SERVER_PORT: '0', ...environment });
    const { msg = '' } = await process.untilLogged(/^Listening on http/);
    return new TestServer(process, msg.replace('Listening on ', ''));
  }

  async call(
    method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'OPTIONS',
    path: string,
    options: CallOptions = {},
  ): Promise<ServerAnswer> {
    const body = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const type = options.body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await request(`${this.url}${path}`, {
      ...{ method, dispatcher: this.#agent, headers: { ...type, ...options.headers } },
      ...(body !== undefined && { body }),
    });
    const text = await answer.body.text();
    expectDocumented(method, path, answer.statusCode);
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: text === '' ? undefined : parseBody(text, answer.headers['content-type']),
    };
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<ServerAnswer> {
    return await this.call('GET', path, { headers });
  }

  async post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ServerAnswer> {
    return await this.call('POST', path, { ...(body !== undefined && { body }), headers });
  }

  /** Events of a stream until it is closed. */
  async watch(path: string, headers: Record<string, string> = {}): Promise<TestEvents> {
    const answer = await request(`${this.url}${path}`, { dispatcher: this.#agent, headers });
    return new TestEvents(answer.statusCode, answer.body);
  }

  async stop(): Promise<void> {
    await this.process.stop('SIGTERM');
    await this.#agent.close();
  }
}
