import { afterAll, onTestFinished } from 'vitest';

type Stopping = { stop(): Promise<unknown> } | { remove(): Promise<unknown> };

/** Functions that end what test files of this process have started and not yet ended, in the order of the starts. */
const ends = new Set<() => Promise<void>>();

/** Calls `end` once, after the tests of the file or of the `describe`. The last of several is called first. */
export function endAfterAll(end: () => Promise<unknown>): void {
  const endOnce = async (): Promise<void> => {
    if (ends.delete(endOnce)) await end();
  };
  ends.add(endOnce);
  afterAll(endOnce);
}

/** Waits for a part that the tests of a file share, and ends it after them: the last one that started ends first. */
export async function stopAfterAll<Part extends Stopping>(starting: Promise<Part>): Promise<Part> {
  const part = await starting;
  endAfterAll(() => ('stop' in part ? part.stop() : part.remove()));
  return part;
}

/**
 * Ends what the former test file of this process has left. Vitest calls no hook of a file whose import fails, or whose
 * tests are all skipped.
 */
export async function endLeftParts(): Promise<void> {
  // The next file is not to blame for an error here.
  for (const end of [...ends].toReversed()) await end().catch(() => undefined);
}

/** Waits for a part that one test uses, and ends it after the test. */
export async function stopAfterTest<Part extends Stopping>(starting: Promise<Part>): Promise<Part> {
  const part = await starting;
  onTestFinished(async () => void (await ('stop' in part ? part.stop() : part.remove())));
  return part;
}
