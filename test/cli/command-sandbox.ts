import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { speechWav } from '../support/media.ts';
import { freePort, isOpen } from '../support/ports.ts';
import { TestProcess, testEnvironment, type Environment } from '../support/process.ts';
import { isMatrix } from '../support/rows.ts';
import { toolPath } from '../support/tools.ts';

// Builds the Temporal CLI before the tests, so that no command waits for it.
await toolPath('TEMPORAL_CLI_PATH');

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

interface Ports {
  temporal: number;
  container: number;
  server: number;
}

/** Runs the real `npm run …` in a new folder with `talk.wav`, with its own state and ports. */
export class CommandSandbox {
  /** HOLDFAST_HOME */
  readonly home: string;
  /** Working folder of the commands. */
  readonly folder: string;
  readonly ports: Ports;
  readonly #environment: Environment;
  readonly #started: TestProcess[] = [];

  private constructor(home: string, folder: string, ports: Ports) {
    [this.home, this.folder, this.ports] = [home, folder, ports];
    this.#environment = testEnvironment({
      HOLDFAST_HOME: home,
      TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
      PORT: `${ports.container}`,
      SERVER_PORT: `${ports.server}`,
    });
  }

  static async create(): Promise<CommandSandbox> {
    const home = await mkdtemp(join(tmpdir(), 'holdfast-home-'));
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-user-'));
    await copyFile(speechWav, join(folder, 'talk.wav'));
    const ports = { temporal: await freePort(), container: await freePort(), server: await freePort() };
    return new CommandSandbox(home, folder, ports);
  }

  async remove(): Promise<void> {
    await Promise.all(this.#started.map((command) => command.stop('SIGTERM')));
    await Promise.all([this.home, this.folder].map((path) => rm(path, { recursive: true, force: true })));
  }

  setVariables(variables: Environment): void {
    Object.assign(this.#environment, variables);
  }

  npm(...args: string[]): TestProcess {
    return this.#run('npm', ['--silent', '--prefix', projectRoot, 'run', ...args]);
  }

  /** Runs a shell line in which `holdfast` means `npm run`. */
  shell(line: string): TestProcess {
    return this.#run('bash', ['-c', `holdfast() { npm --silent --prefix '${projectRoot}' run "$@"; }\n${line}`]);
  }

  #run(program: string, args: string[]): TestProcess {
    const command = new TestProcess(`${program} ${args.at(-1)}`, program, args, this.#environment, this.folder);
    this.#started.push(command);
    return command;
  }

  async start(): Promise<TestProcess> {
    const start = this.npm('start');
    await start.until('ready stack', () => start.output.includes('Holdfast is ready.'));
    return start;
  }

  async isTemporalUp(): Promise<boolean> {
    return await isOpen(this.ports.temporal);
  }

  async isContainerUp(): Promise<boolean> {
    return await isOpen(this.ports.container);
  }

  /** True if no process of the sandbox is left. */
  async hasEnded(): Promise<boolean> {
    const areOpen = await Promise.all(Object.values(this.ports).map(isOpen));
    return !areOpen.includes(true) && !existsSync(join(this.home, 'stack.sock'));
  }
}

/** A test with its own sandbox, which is removed afterwards. */
export const testInSandbox = test.extend<{ sandbox: CommandSandbox }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the needed fixtures from the pattern
  async sandbox({}, use) {
    const sandbox = await CommandSandbox.create();
    await use(sandbox);
    await sandbox.remove();
  },
});

/** A `matrixTest` with its own sandbox. */
export const matrixTestInSandbox = testInSandbox.runIf(isMatrix);
