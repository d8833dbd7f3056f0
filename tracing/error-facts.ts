import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('..', import.meta.url));

/**
 * Place where our own code threw, for example `container/jobs/job.ts:12`. It finds the bug without a stack trace in the
 * log.
 */
function thrownAt(error: Error): string | undefined {
  const frame = error.stack?.split('\n').find((line) => line.includes(projectRoot) && !line.includes('node_modules'));
  return frame?.slice(frame.indexOf(projectRoot) + projectRoot.length).replace(/\)$/, '');
}

/** The message of a failed system call ends with paths; its name and errno suffice to find the bug. */
function messageWithoutPaths(error: Error): string {
  if (!('syscall' in error) || !('path' in error || 'dest' in error)) return error.message;
  return error.message.replace(/ '.*'$/s, '');
}

/** Facts of an error that may be logged. */
export function errorFacts(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { error: String(thrown) };
  return {
    error: messageWithoutPaths(thrown),
    errorName: thrown.name,
    thrownAt: thrownAt(thrown),
    ...(thrown.cause === undefined ? {} : { cause: errorFacts(thrown.cause) }),
  };
}
