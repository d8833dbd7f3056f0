import { CliError } from '../cli-error.ts';

/** One Ctrl-C can arrive twice: from the terminal and from npm. */
const onePressMs = 300;

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The first signal requests an orderly stop, the second an immediate one. */
export class Interrupts {
  readonly #first = new AbortController();
  readonly #second = new AbortController();
  #firstAtMs = 0;
  exitCode = 130;

  /** `parentPid` is the set-up script that started this process. */
  constructor(parentPid: number | undefined) {
    for (const [signal, exitCode] of Object.entries(signals)) process.on(signal, () => this.#interrupt(exitCode));
    if (parentPid !== undefined && parentPid === process.ppid) this.#watchParent(parentPid);
  }

  /** Its reason is a CliError with the exit code and no message. */
  get first(): AbortSignal {
    return this.#first.signal;
  }

  get second(): AbortSignal {
    return this.#second.signal;
  }

  #interrupt(exitCode: number): void {
    if (!this.first.aborted) {
      [this.#firstAtMs, this.exitCode] = [Date.now(), exitCode];
      this.#first.abort(new CliError('', exitCode));
    } else if (Date.now() - this.#firstAtMs > onePressMs) {
      this.#second.abort(new CliError('', exitCode));
    }
  }

  /** Polls the parent, because a parent killed with SIGKILL forwards no signal. */
  #watchParent(parentPid: number): void {
    const timer = setInterval(() => {
      if (process.ppid === parentPid) return;
      clearInterval(timer);
      this.#interrupt(signals.SIGHUP);
    }, 1_000);
    timer.unref();
  }
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
