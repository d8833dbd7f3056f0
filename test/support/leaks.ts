import { expect } from 'vitest';
import type { TestContainer } from './container.ts';

/** Expects no log line with a stack trace, a path of the disk or a query string. */
export function expectNothingLeaked({ process: { output }, mediaRoot, scratchDir }: TestContainer): void {
  expect(output).not.toContain(mediaRoot);
  expect(output).not.toContain(scratchDir);
  expect(output).not.toMatch(/"stack"|\bat \S+ \(|node_modules/);
  expect(output).not.toMatch(/secret|X-Amz|\?/);
}
