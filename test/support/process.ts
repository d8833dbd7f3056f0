import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Variables of docs/reference/settings.md, which must not leak from the developer's shell into a test. */
const settingNames =
  /^(?:PORT|HOST|RETRY_AFTER_SECONDS|MEDIA_ROOT|SCRATCH_DIR|CONTAINER_TOKEN|CONTAINER_URLS|ENCODE_PARALLELISM|UPLOAD_URLS_TIMEOUT_SECONDS|ALLOW_PRIVATE_ADDRESSES|PROVIDERS_FILE|LOCAL_.*|METRICS_PORT|RELAY_.*|STORE_LOGINS_FILE|WORKER_.*|WEBHOOK_SECRET_.*|HOLDFAST_ENVIRONMENT|DEPLOYMENT_NAME|BUILD_ID|SERVER_.*|RATE_LIMIT_.*|OTEL_.*|TEMPORAL_(?!CLI_PATH|TEST_SERVER_PATH).*|HOLDFAST_HOME|INIT_CWD)$/;

export type Environment = Record<string, string>;

/** This process's environment without Holdfast's settings, overridden by `own`. */
export function testEnvironment(own: Environment = {}): Environment {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !settingNames.test(entry[0]),
  );
  return { ...Object.fromEntries(inherited), ...own };
}

export interface LogLine {
  msg?: string;
  level?: string;
  [field: string]: unknown;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const running = new Set<ChildProcess>();
/** Kills the processes that a failed test or a cancelled run has left. */
export function endLeftProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}
process.once('exit', endLeftProcesses);
// Vitest ends its workers by SIGTERM. Without a listener, the signal ends a process before it emits 'exit'.
process.once('SIGTERM', () => {
  endLeftProcesses();
  process.kill(process.pid, 'SIGTERM');
});

/** A child process of a test, with its output by line. It has no standard input. */
export class TestProcess {
  /** Lines of standard output and standard error that are JSON objects. */
  readonly logLines: LogLine[] = [];
  readonly exited: Promise<Exit>;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #outputLines: string[] = [];
  #exit: Exit | undefined;

  constructor(name: string, command: string, args: readonly string[], environment: Environment, cwd = projectRoot) {
    this.#name = name;
    this.#child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.#keep(line));
    }
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit) => {
        running.delete(this.#child);
        this.#exit = exit;
        resolve(exit);
      };
      this.#child.once('error', (error) => {
        this.#keep(String(error));
        end({ code: null, signal: null });
      });
      // At 'close', unlike 'exit', every line has been read.
      this.#child.once('close', (code, signal) => end({ code, signal }));
    });
  }

  /** Throws if the process was not started: another number could make `process.kill` signal every process. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.#name} was not started: ${this.output}`);
    return this.#child.pid;
  }

  get output(): string {
    return this.#outputLines.join('\n');
  }

  /** `undefined` while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  messages(): string[] {
    return this.logLines.map((line) => line.msg ?? '');
  }

  /**
   * Polls until `probe` returns something, and fails at once with the output if the process ends. The pauses grow,
   * because each query of a status takes processor time from what the test waits for. The time limit only ends a hang.
   */
  async until<T>(
    what: string,
    probe: () => T | undefined | false | Promise<T | undefined | false>,
    timeoutMs = 150_000,
  ): Promise<T> {
    const deadline = Date.now() + timeoutMs;
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.1, 100)) {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      const state = this.#exit && `ended with ${this.#exit.signal ?? this.#exit.code}`;
      if (state !== undefined || Date.now() > deadline) {
        throw new Error(`${this.#name}: no ${what} (${state ?? `waited ${timeoutMs} ms`}). Output:\n${this.output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** The first log line whose `msg` is the text or matches the pattern. */
  async untilLogged(message: string | RegExp, timeoutMs?: number): Promise<LogLine> {
    const matches = (msg = '') => (typeof message === 'string' ? msg === message : message.test(msg));
    return await this.until(
      `log line ${String(message)}`,
      () => this.logLines.find((line) => matches(line.msg)),
      timeoutMs,
    );
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM', killAfterMs = 15_000): Promise<Exit> {
    if (this.#exit !== undefined) return this.#exit;
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), killAfterMs);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  #keep(line: string): void {
    this.#outputLines.push(line);
    if (!line.startsWith('{')) return;
    try {
      this.logLines.push(JSON.parse(line) as LogLine);
    } catch {
      // The line is not a log line; `output` has it.
    }
  }
}

/** Runs a TypeScript file of the project under the Node that runs the tests. */
export function startNode(
  script: string,
  environment: Environment = {},
  nodeFlags: readonly string[] = [],
): TestProcess {
  return new TestProcess(script, process.execPath, [...nodeFlags, script], testEnvironment(environment));
}

export async function run(
  command: string,
  args: readonly string[],
  options: { environment?: Environment; cwd?: string; timeoutMs?: number } = {},
): Promise<Exit & { output: string }> {
  const child = new TestProcess(command, command, args, options.environment ?? testEnvironment(), options.cwd);
  const timer = setTimeout(() => void child.stop('SIGKILL'), options.timeoutMs ?? 120_000);
  const exit = await child.exited;
  clearTimeout(timer);
  return { ...exit, output: child.output };
}
