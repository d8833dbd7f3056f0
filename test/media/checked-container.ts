import { afterAll, beforeAll, expect } from 'vitest';
import { TestContainer } from '../support/container.ts';
import { expectNothingLeaked } from '../support/leaks.ts';

/** Shares one container in a test file; afterwards it must have no job folders and no secrets in its log. */
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
