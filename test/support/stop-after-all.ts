import { afterAll } from 'vitest';

type Stopping = { stop(): Promise<unknown> } | { remove(): Promise<unknown> };

/** Waits for a part that the tests of a file share, and ends it after them: the last one that started ends first. */
export async function stopAfterAll<Part extends Stopping>(starting: Promise<Part>): Promise<Part> {
  const part = await starting;
  afterAll(() => ('stop' in part ? part.stop() : part.remove()));
  return part;
}
