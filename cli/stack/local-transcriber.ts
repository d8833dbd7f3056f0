import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, request } from '../../network/http.ts';
import type { Settings } from '../settings.ts';
import type { Launch, LocalProcess } from './local-process.ts';
import { freePort, isOpen } from './ports.ts';
import { ensureTranscriber } from './transcriber-setup.ts';
import { messageOf } from '../../contract/unknown-values.ts';

/** The transcriber imports its libraries within a second or two; a loaded machine takes longer. */
const startTimeoutMs = 60_000;
/** The transcriber has nothing to save. */
const graceMs = 2_000;

/**
 * The transcriber of the keys `local/<model>`. The stack's worker always knows this address on loopback. The first
 * request installs and starts the transcriber, which gets all requests.
 */
export class LocalTranscriber {
  readonly #launch: Launch;
  readonly #settings: Settings;
  readonly #say: (sentence: string) => void;
  readonly #stopping = new AbortController();
  readonly #server: Server;
  /** Base URL of the API. */
  url = '';
  #process: LocalProcess | undefined;
  #port = 0;
  #start: Promise<void> | undefined;

  private constructor(launch: Launch, settings: Settings, say: (sentence: string) => void) {
    this.#launch = launch;
    this.#settings = settings;
    this.#say = say;
    this.#server = createServer((incoming, response) => void this.#pass(incoming, response));
    this.#server.unref();
  }

  static async listen(launch: Launch, settings: Settings, say: (sentence: string) => void): Promise<LocalTranscriber> {
    const transcriber = new LocalTranscriber(launch, settings, say);
    transcriber.#server.listen(0, '127.0.0.1');
    await once(transcriber.#server, 'listening');
    transcriber.url = `http://127.0.0.1:${(transcriber.#server.address() as AddressInfo).port}`;
    return transcriber;
  }

  async stop(): Promise<void> {
    this.#close();
    await this.#process?.stop(graceMs);
  }

  async killAndWait(): Promise<void> {
    this.kill();
    await this.#process?.ended;
  }

  kill(): void {
    this.#close();
    this.#process?.kill();
  }

  #close(): void {
    this.#stopping.abort();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // A reset connection is seen as the close of the response.
    incoming.on('error', () => undefined);
    try {
      await this.#untilReady();
    } catch (error) {
      incoming.resume();
      return refuse(response, 503, messageOf(error));
    }
    const { method, url, headers } = incoming;
    const passed = request({ host: '127.0.0.1', port: this.#port, method, path: url, headers, agent: false });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    passed.on('error', () => void this.#answerFailed(response));
    // A caller that disconnects cancels its transcription.
    response.on('close', () => passed.destroy());
    if (response.destroyed) passed.destroy();
    else incoming.pipe(passed);
  }

  /**
   * The connection breaks before the process has ended. The caller gets the error only after that end, so that the
   * caller's next request starts the transcriber again.
   */
  async #answerFailed(response: ServerResponse): Promise<void> {
    if (!(await isOpen({ host: '127.0.0.1', port: this.#port }))) await this.#process?.ended;
    if (response.headersSent) response.destroy();
    else refuse(response, 502, 'The local transcriber ended during the request.');
  }

  async #untilReady(): Promise<void> {
    this.#start ??= this.#startTranscriber().catch((error: unknown) => {
      // The next request tries again.
      this.#start = undefined;
      throw error;
    });
    await this.#start;
  }

  async #startTranscriber(): Promise<void> {
    const { inheritedEnvironment: environment } = this.#settings;
    const { signal } = this.#stopping;
    const python = await ensureTranscriber(environment, this.#say);
    signal.throwIfAborted();
    this.#port = await freePort(0);
    const models = environment['LOCAL_MODELS_PATH'] ?? '';
    this.#process = this.#launch({
      name: 'the local transcriber',
      logName: 'transcriber',
      command: python,
      args: ['-B', 'transcriber/server.py', '--port', `${this.#port}`, ...(models === '' ? [] : ['--models', models])],
      environment,
    });
    // The next request starts it again.
    void this.#process.ended.then(() => (this.#start = undefined));
    const place = { host: '127.0.0.1', port: this.#port };
    await this.#process.untilReady(() => isOpen(place), startTimeoutMs, signal);
  }
}

/** An error in the form of OpenAI's API. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type: 'server_error', param: null, code: null } }));
}
