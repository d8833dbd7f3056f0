import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort, isOpen } from './ports.ts';
import { testEnvironment, TestProcess } from './process.ts';
import { toolPath } from './tools.ts';

// Installs both before the tests, so that no test waits for them.
const enginePython = await toolPath('TRANSCRIBER_PYTHON');
const speechPython = await toolPath('SPEECH_PYTHON');

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export interface HeardWord {
  word: string;
  start: number;
  end: number;
  probability: number;
}

/** The real engine. */
export class Transcriber {
  readonly process: TestProcess;
  readonly url: string;

  private constructor(process: TestProcess, url: string) {
    [this.process, this.url] = [process, url];
  }

  static async start(...options: string[]): Promise<Transcriber> {
    const port = await freePort();
    const args = ['-B', fileOf('../../transcriber/server.py'), '--port', `${port}`, ...options];
    const process = new TestProcess('the engine', enginePython, args, testEnvironment());
    await process.until('open port', () => isOpen(port), 120_000);
    return new Transcriber(process, `http://127.0.0.1:${port}`);
  }

  /** POST of a file with further fields. */
  async post(
    path: string | undefined,
    fields: Record<string, string | string[]> = {},
    {
      signal,
      endpoint = 'transcriptions',
    }: { signal?: AbortSignal; endpoint?: 'transcriptions' | 'translations' } = {},
  ) {
    const form = new FormData();
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) form.append(name, value);
    }
    if (path !== undefined) form.append('file', new Blob([await readFile(path)]), basename(path));
    const init = { method: 'POST', body: form, ...(signal !== undefined && { signal }) };
    return await fetch(`${this.url}/v1/audio/${endpoint}`, init);
  }

  /** Words of a file. */
  async words(path: string): Promise<HeardWord[]> {
    const answer = await this.post(path, { response_format: 'verbose_json', 'timestamp_granularities[]': 'word' });
    return ((await answer.json()) as { words: HeardWord[] }).words;
  }

  async stop(): Promise<void> {
    await this.process.stop('SIGTERM');
  }
}

/** Speaks a text into a WAV, by a voice of eSpeak NG, and returns when each word begins. */
export async function speak(spoken: string, path: string, voice = 'en-us'): Promise<{ word: string; start: number }[]> {
  const child = spawn(speechPython, ['-B', fileOf('../fixtures/speak.py'), path, voice], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(spoken);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`speak.py ended with ${String(code)}`);
  return JSON.parse(output) as { word: string; start: number }[];
}
