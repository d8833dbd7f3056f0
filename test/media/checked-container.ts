import { afterAll, beforeAll, expect } from 'vitest';
import { TestContainer } from '../support/container.ts';
import { expectNothingLeaked } from '../support/leaks.ts';

/** One container for all tests of a file. When they are done it has no job folder, and has logged nothing that it may not. */
export function useCheckedContainer(): () => TestContainer {
  let container: TestContainer;

  beforeAll(async () => {
    container = await TestContainer.start();
  });

  afterAll(async () => {
    expect(await container.jobFolders()).toEqual([]);
    await container.stop();
    expectNothingLeaked(container);
  });

  return () => container;
}
