import { afterAll, beforeAll } from 'vitest';
import { beginImport, endImport } from './import-limit.ts';
import { endLeftProcesses } from './process.ts';
import { endLeftParts } from './stop-after-all.ts';

// Test files share a process: what a failed test has left running must not outlive its file.
afterAll(endLeftProcesses);

// A file that fails at its import, or whose tests are all skipped, runs no hook.
endLeftProcesses();
await endLeftParts();
beginImport();
beforeAll(endImport);
