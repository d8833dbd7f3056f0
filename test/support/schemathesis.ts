import { expect } from 'vitest';
import { run } from './process.ts';
import { toolPath } from './tools.ts';

const python = await toolPath('SCHEMATHESIS_PYTHON');

/**
 * Sends requests made from an OpenAPI document, valid and invalid ones, and compares the answers with the document. The number of
 * requests and their seed are fixed.
 */
export async function expectConformance(documentUrl: string, options: readonly string[] = []): Promise<void> {
  const { code, output } = await run(python, [
    ...['-m', 'schemathesis.cli', 'run', documentUrl, '--url', new URL(documentUrl).origin],
    ...['--phases', 'coverage,fuzzing', '--max-examples', '2', '--seed', '1', '--generation-database', 'none'],
    // JSON Schema cannot say everything that a valid request must fulfil.
    ...['--exclude-checks', 'positive_data_acceptance', '--request-timeout', '15', '--no-shrink', '--no-color'],
    ...['--output-truncate', 'true', '--warnings', 'off', ...options],
  ]);
  expect(code, output.slice(-10_000)).toBe(0);
}
