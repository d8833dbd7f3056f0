import { ensurePage } from '../../scripts/setup/page.mjs';
import { freePort } from './ports.ts';
import type { Environment } from './process.ts';
import { TestServer } from './server.ts';
import { type StackOptions, TestStack } from './stack.ts';

/** All of Holdfast, with the server and the page. */
export class PageStack {
  readonly stack: TestStack;
  server: TestServer;
  readonly #environment: Environment;

  private constructor(stack: TestStack, server: TestServer, environment: Environment) {
    this.stack = stack;
    this.server = server;
    this.#environment = environment;
  }

  static async start(environment: Environment = {}, options: StackOptions = {}): Promise<PageStack> {
    await ensurePage(process.execPath);
    const stack = await TestStack.start(options);
    const all = {
      TEMPORAL_ADDRESS: stack.temporal.address,
      MEDIA_ROOT: stack.container.mediaRoot,
      // A restarted server finds it free.
      SERVER_PORT: String(await freePort()),
      ...environment,
    };
    return new PageStack(stack, await TestServer.start(all), all);
  }

  /** Restarts the server at the same address, as a deployment does. */
  async restartServer(): Promise<void> {
    await this.server.stop();
    this.server = await TestServer.start(this.#environment);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.stack.stop();
  }
}
