import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StackPart } from './stack.ts';
import { formatLogLine } from './log-line.ts';

const everyMs = 250;

/** Prints a short line for each new log line of container, worker and server. */
export function followLogs(stateFolder: string, started: readonly StackPart[], say: (line: string) => void) {
  const tails = (['container', 'worker', 'server'] as const)
    .filter((part) => started.includes(part))
    .map((part) => new Tail(join(stateFolder, 'logs', `${part}.log`), (line) => show(part, line, say)));
  const timer = setInterval(() => tails.forEach((tail) => tail.read()), everyMs);
  return {
    stop() {
      clearInterval(timer);
      for (const tail of tails) tail.read();
    },
  };
}

function show(part: StackPart, line: string, say: (line: string) => void): void {
  const shown = formatLogLine(part, line);
  if (shown !== undefined) say(shown);
}

/** Reads new lines of a file, starting at its current end. */
class Tail {
  readonly #path: string;
  readonly #onLine: (line: string) => void;
  #position: number;
  #rest = '';

  constructor(path: string, onLine: (line: string) => void) {
    this.#path = path;
    this.#onLine = onLine;
    this.#position = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  read(): void {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.#position) return;
    const buffer = Buffer.alloc(size - this.#position);
    const file = openSync(this.#path, 'r');
    const length = readSync(file, buffer, 0, buffer.length, this.#position);
    closeSync(file);
    this.#position += length;
    const lines = (this.#rest + buffer.toString('utf8', 0, length)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line);
  }
}
