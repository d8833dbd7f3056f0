import { defineConfig } from 'vitest/config';
import { ToolsLast } from './test/support/sequencer.ts';

/** Files of `npm run test:slow`, which `npm test` runs only by name. */
const slow = ['test/chaos/**/*.test.ts', 'test/**/*.slow.test.ts'];
/** Files of whole matrices, which have commands of their own. `npm test` runs one only by its file name, not by a folder. */
const matrix = ['test/**/*.matrix.test.ts'];
/** Files with tables or tests of which the other projects run only a part (`test/support/rows.ts`). */
const tables = ['test/container/operations/**/*.test.ts', 'test/engine/sound/segmented/*.test.ts', ...slow];

const [, , , ...args] = process.argv;
const runsAllRows = args.includes('--project=rows');
const namesProject = args.some((argument) => argument.startsWith('--project'));
const isAnyNamed = namesProject || args.some((argument) => !argument.startsWith('-'));
const isMatrixNamed = namesProject || args.some((argument) => argument.includes('.matrix'));

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests that wait for a server or a timer leave processor time to others, even on two cores.
    maxWorkers: 3,
    sequence: { sequencer: ToolsLast },
    setupFiles: ['test/support/end-left-processes.ts'],
    // Several programs start in some tests, and a loaded machine takes twice the time.
    testTimeout: 150_000,
    hookTimeout: 120_000,
    // Vitest's default of one second is too short for another process on a loaded machine.
    expect: { poll: { timeout: 100_000 } },
    projects: [
      {
        extends: true,
        // Files share a process, and so the modules that they have loaded: that saves a second of processor time for five files.
        test: { name: 'quick', isolate: false, include: ['test/**/*.test.ts'], exclude: [...slow, ...matrix] },
      },
      ...(isAnyNamed ? [{ extends: true as const, test: { name: 'slow', include: slow } }] : []),
      ...(isMatrixNamed ? [{ extends: true as const, test: { name: 'matrix', include: matrix } }] : []),
      ...(runsAllRows
        ? [
            {
              extends: true as const,
              test: { name: 'rows', include: tables, exclude: matrix, env: { HOLDFAST_ROWS: 'all' } },
            },
          ]
        : []),
    ],
  },
});
