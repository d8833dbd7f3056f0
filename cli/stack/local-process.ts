import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../cli-error.ts';
import { formatLogLine } from './log-line.ts';
import type { Watchdog } from './watchdog.ts';

export interface LocalProcessOptions {
  /** Name for messages: "the worker". */
  name: string;
  command: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  folder: string;
  /** The previous log is renamed to `….previous`. */
  logFile: string;
  watchdog: Watchdog;
}

/** Starts a part of the stack with the log `logs/<logName>.log`. */
export type Launch = (
  part: Pick<LocalProcessOptions, 'name' | 'command' | 'args' | 'environment'> & { logName: string },
) => LocalProcess;

/**
 * A process of the local stack. It has its own session, so that Ctrl-C reaches only this command, which stops the parts in order. It logs
 * to a file, because a pipe would break when this command is killed.
 */
export class LocalProcess {
  readonly name: string;
  readonly logFile: string;
  readonly #options: LocalProcessOptions;
  #child!: ChildProcess;
  #ended!: Promise<string>;
  #ending: string | undefined;

  constructor(options: LocalProcessOptions) {
    this.#options = options;
    this.name = options.name;
    this.logFile = options.logFile;
    mkdirSync(dirname(options.logFile), { recursive: true });
    keepPrevious(options.logFile);
    this.restart();
  }

  /** Undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves to the ending in words: "with exit code 1". */
  get ended(): Promise<string> {
    return this.#ended;
  }

  /** Starts the process again after its end; the log continues. */
  restart(): void {
    const { command, args, environment, folder, logFile, watchdog } = this.#options;
    const log = openSync(logFile, 'a');
    const child = spawn(command, args, { cwd: folder, env: environment, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    const { pid } = child;
    if (pid !== undefined) watchdog.watch(pid);
    this.#child = child;
    this.#ending = undefined;
    this.#ended = new Promise((resolve) => {
      const end = (ending: string) => {
        this.#ending = ending;
        if (pid !== undefined) watchdog.unwatch(pid);
        resolve(ending);
      };
      child.once('error', (error) => end(`because it cannot be started: ${error.message}`));
      child.once('exit', (code, signal) => end(signal === null ? `with exit code ${code}` : `by ${signal}`));
    });
  }

  get isRunning(): boolean {
    return this.#ending === undefined;
  }

  /** Polls every 50 ms. Throws with the last log lines if the process ends or takes too long. */
  async untilReady(isReady: () => Promise<boolean>, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await isReady())) {
      signal.throwIfAborted();
      if (this.#ending !== undefined) throw this.endedUnexpectedly(this.#ending);
      if (Date.now() > deadline) {
        throw new CliError(
          `${capitalize(this.name)} did not become ready within ${timeoutMs / 1000} s.${this.#lastLogLines()}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  endedUnexpectedly(ending: string): CliError {
    return new CliError(`${capitalize(this.name)} ended unexpectedly ${ending}.${this.#lastLogLines()}`);
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#ending !== undefined) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Kills the process group, so that no ffmpeg of a container survives. */
  kill(): void {
    if (this.#ending !== undefined || this.pid === undefined) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // The process has just ended.
    }
  }

  #lastLogLines(): string {
    const lines = readFileSync(this.logFile, 'utf8').trimEnd().split('\n');
    const shown = lines.flatMap((line) => formatLogLine(this.name, line) ?? []).slice(-8);
    if (shown.length === 0) return ` Its log is ${this.logFile}.`;
    return ` The last lines of its log, ${this.logFile}:\n${shown.map((line) => `    ${line.slice(0, 400)}`).join('\n')}`;
  }
}

function keepPrevious(logFile: string): void {
  try {
    renameSync(logFile, `${logFile}.previous`);
  } catch {
    // There is no previous log.
  }
}

export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
