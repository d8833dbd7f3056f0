/** Errors of a stream whose reader is gone: a pipe such as `| head`, or a closed terminal. */
const closedCodes: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO']);

/**
 * Lets a command continue after the reader of its output has closed the pipe. The returned function resolves to a
 * message if standard output could not be written for another reason, such as a full disk.
 */
export function tolerateClosedOutput(): () => Promise<string | undefined> {
  let problem: string | undefined;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (!closedCodes.has(code)) problem = `The output could not be written: ${message}.`;
  });
  process.stderr.on('error', () => undefined);
  return async () => {
    // The error arrives shortly after its write.
    await new Promise(setImmediate);
    return problem;
  };
}

/** Aborts when standard output fails. */
export function outputClosed(): AbortSignal {
  const closed = new AbortController();
  process.stdout.once('error', () => closed.abort());
  return closed.signal;
}
