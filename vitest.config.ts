import { defineConfig } from 'vitest/config';
import { ToolsLast } from './test/support/sequencer.ts';

/** What `npm run test:slow` runs, and `npm test` where a file is named. */
const slow = ['test/chaos/**/*.test.ts', 'test/**/*.slow.test.ts'];
/** Whole matrices, each with a command of its own. */
const matrix = ['test/**/*.matrix.test.ts'];

const [, , , ...args] = process.argv;
const isAnyNamed = args.some((argument) => argument.startsWith('--project') || !argument.startsWith('-'));

export default defineConfig({
  test: {
    // Each file in a process of its own: a Temporal environment, a container and ffmpeg belong to one file.
    pool: 'forks',
    // While one file waits for a server or a timer, the other one has the processor.
    maxWorkers: 2,
    sequence: { sequencer: ToolsLast },
    // A machine with other work takes twice the time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As long as a loaded machine may take: vitest's own second is over while another process is not given the processor.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: [...slow, ...matrix] } },
      ...(isAnyNamed
        ? [
            { extends: true as const, test: { name: 'slow', include: slow } },
            { extends: true as const, test: { name: 'matrix', include: matrix } },
          ]
        : []),
    ],
  },
});
