import { spawn, type ChildProcess } from 'node:child_process';

/** Reads lines of process ids; the last line counts. At the end of input, sends SIGTERM, and SIGKILL to the groups after 10 s. */
const watchScript = `
pids=
while read -r line; do pids=$line; done
[ -n "$pids" ] || exit 0
kill -TERM $pids 2>/dev/null
tenths=0
while [ $tenths -lt 100 ]; do
  sleep 0.1
  tenths=$((tenths + 1))
  alive=
  for pid in $pids; do kill -0 $pid 2>/dev/null && alive=yes; done
  [ -n "$alive" ] || exit 0
done
for pid in $pids; do kill -KILL -- -$pid 2>/dev/null; done
`;

/**
 * Stops the stack's processes if this process is killed with SIGKILL: a shell reads from a pipe whose other end only this process
 * holds.
 */
export class Watchdog {
  readonly #shell: ChildProcess;
  readonly #pids = new Set<number>();

  constructor() {
    this.#shell = spawn('sh', ['-c', watchScript], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    // Without a shell, the stack runs unwatched.
    this.#shell.once('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.unref();
  }

  watch(pid: number): void {
    this.#pids.add(pid);
    this.#writePids();
  }

  unwatch(pid: number): void {
    this.#pids.delete(pid);
    this.#writePids();
  }

  close(): void {
    this.#shell.stdin?.end();
  }

  #writePids(): void {
    this.#shell.stdin?.write(`${[...this.#pids].join(' ')}\n`);
  }
}
