import { spawn, type ChildProcess } from 'node:child_process';

/** Reads the process ids line by line, the last line counts. At the end of its input it sends SIGTERM, and 10 s later SIGKILL to the groups. */
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
 * Ends the stack's processes when this process was killed with SIGKILL and cannot do it itself: a shell reads from a pipe whose
 * other end is held by this process only.
 */
export class Watchdog {
  readonly #shell: ChildProcess;
  readonly #pids = new Set<number>();

  constructor() {
    this.#shell = spawn('sh', ['-c', watchScript], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    // On a machine without a shell the stack works, unwatched.
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
