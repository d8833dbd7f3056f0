import type { WorkflowHandle } from '@temporalio/client';
import { readFile } from 'node:fs/promises';
import { startRun } from '../../client/start-run.ts';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import type { MediaServer } from '../fixtures/media-server.ts';
import { RunHistory } from './history.ts';
import { speechWav } from './media.ts';
import type { TestStack } from './stack.ts';

/** Encodes that queue for a container one after the other; their sources are held back until `order`. */
export class QueuedEncodes {
  readonly #stack: TestStack;
  readonly #media: MediaServer;
  readonly #released = Promise.withResolvers<void>();
  readonly #handles = new Map<string, WorkflowHandle>();

  constructor(stack: TestStack, media: MediaServer) {
    this.#stack = stack;
    this.#media = media;
  }

  async start(name: string, common: CommonInput = {}): Promise<void> {
    const body = await readFile(speechWav);
    const sourceUrl = this.#media.on(`GET /${name}`, async (_, response) => {
      await this.#released.promise;
      response.writeHead(200, { 'content-length': body.length }).end(body);
    });
    const handle = await startRun(this.#stack.client, {
      ...{ workflowType: 'encode', workflowId: name, taskQueue: 'holdfast', summary: name, details: name },
      input: { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl: `${this.#media.url}/${name}.mp3` }], ...common },
    });
    this.#handles.set(name, handle);
    await this.#stack.worker.until(
      `${name} in the queue of the container`,
      async () => (await RunHistory.of(handle)).secondsOf('encode').length === 1,
    );
    if (this.#handles.size === 1) {
      await this.#stack.untilStatus(handle, 'a busy container', ({ state }) => state === 'running');
    }
  }

  /** Names of the encodes in the order in which the container fetched their sources. */
  async order(): Promise<string[]> {
    this.#released.resolve();
    await Promise.all([...this.#handles.values()].map((handle) => handle.result()));
    return this.#media.requests
      .filter((request) => request.startsWith('GET /'))
      .map((request) => request.slice('GET /'.length))
      .filter((name) => this.#handles.has(name));
  }
}
