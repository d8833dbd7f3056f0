/** What a stream fails with when nobody reads it any more: a pipe such as `| head`, a terminal that was closed. */
const closedCodes: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO']);

/**
 * A reader that ends early ends neither the runs of a command nor the delivery of their files. Gives what says, when all was
 * written, why standard output has not been: a disk is full, for instance.
 */
export function tolerateClosedOutput(): () => Promise<string | undefined> {
  let problem: string | undefined;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (!closedCodes.has(code)) problem = `The output could not be written: ${message}.`;
  });
  process.stderr.on('error', () => undefined);
  return async () => {
    // Such an error comes a moment after its write.
    await new Promise(setImmediate);
    return problem;
  };
}

/** Aborted when standard output takes nothing any more. */
export function outputClosed(): AbortSignal {
  const closed = new AbortController();
  process.stdout.once('error', () => closed.abort());
  return closed.signal;
}
