import { afterAll } from 'vitest';
import { endLeftProcesses } from './process.ts';

// Test files share a process: what a failed test has left running must not outlive its file.
afterAll(endLeftProcesses);
