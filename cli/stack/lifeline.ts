import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Ends the stack's processes when this one is gone in a way that lets it do nothing more (SIGKILL): a small shell waits at a pipe whose other
 * end is ours. The last line it has read names the processes; they get SIGTERM, and 10 s later their groups get SIGKILL.
 */
const watch = `
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

export class Lifeline {
  readonly #shell: ChildProcess;
  readonly #pids = new Set<number>();

  constructor() {
    this.#shell = spawn('sh', ['-c', watch], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    // Without a shell everything else still works.
    this.#shell.once('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.unref();
  }

  hold(pid: number): void {
    this.#pids.add(pid);
    this.#tell();
  }

  release(pid: number): void {
    this.#pids.delete(pid);
    this.#tell();
  }

  close(): void {
    this.#shell.stdin?.end();
  }

  #tell(): void {
    this.#shell.stdin?.write(`${[...this.#pids].join(' ')}\n`);
  }
}
