import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { run } from './process.ts';
import { isMatrix } from './rows.ts';
import { toolPath } from './tools.ts';

const python = await toolPath('SCHEMATHESIS_PYTHON');

interface ConformanceOptions {
  /** Options of schemathesis. */
  args?: readonly string[];
  /** Its configuration file, in TOML. */
  config?: string;
}

/** The coverage phase sends many more requests than the other. */
const phases = isMatrix ? 'coverage,fuzzing' : 'fuzzing';

/**
 * Sends requests made from an OpenAPI document, valid and invalid ones, and compares the answers with the document. The number of
 * requests and their seed are fixed.
 */
export async function expectConformance(documentUrl: string, options: ConformanceOptions = {}): Promise<void> {
  // schemathesis writes into its current directory.
  const cwd = await mkdtemp(join(tmpdir(), 'holdfast-schemathesis-'));
  try {
    await writeFile(join(cwd, 'schemathesis.toml'), options.config ?? '');
    const { code, output } = await run(
      python,
      [
        ...['-m', 'schemathesis.cli', 'run', documentUrl, '--url', new URL(documentUrl).origin],
        ...['--phases', phases, '--max-examples', '2', '--seed', '1', '--generation-database', 'none'],
        // JSON Schema cannot say everything that a valid request must fulfil.
        ...['--exclude-checks', 'positive_data_acceptance', '--request-timeout', '60', '--no-shrink', '--no-color'],
        ...['--output-truncate', 'true', '--warnings', 'off', ...(options.args ?? [])],
      ],
      // Guards against a hang; a slow machine takes some minutes.
      { cwd, timeoutMs: 380_000 },
    );
    expect(code, output.slice(-10_000)).toBe(0);
  } finally {
    await rm(cwd, { recursive: true });
  }
}
