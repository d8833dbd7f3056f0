import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../container/config.ts';
import { startNode } from '../support/process.ts';

describe('invalid settings', () => {
  test.each([
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['RETRY_AFTER_SECONDS', '0'],
    ['RETRY_AFTER_SECONDS', '-1'],
    ['RETRY_AFTER_SECONDS', '1.5'],
    ['RETRY_AFTER_SECONDS', 'soon'],
    ['MEDIA_ROOT', 'relative'],
    ['MEDIA_ROOT', '/nowhere/at/all'],
    ['MEDIA_ROOT', '/etc/hostname'],
    ['CONTAINER_TOKEN', ' '],
    ['CONTAINER_TOKEN', 'tök'],
    ['SCRATCH_DIR', '/nowhere/at/all'],
    ['ALLOW_PRIVATE_ADDRESSES', '10.0.0.0/99'],
    ['ALLOW_PRIVATE_ADDRESSES', 'a b'],
    ['JOB_TIMEOUT_SECONDS', '9999999'],
    ['STALL_TIMEOUT_SECONDS', '0'],
    ['PRESETS_FILE', '/nowhere/at/all.json'],
  ])('names the setting %s=%s', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });

  test.each([
    ['HOST', 'nothing.invalid'],
    ['HOST', '203.0.113.1'],
    ['SCRATCH_DIR', '/proc'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses to start with %s=%s, and names the setting', async (name, value) => {
    const process = startNode('container/main.ts', { PORT: '0', [name]: value });
    expect((await process.exited).code).toBe(1);
    expect(process.output).toContain(name);
    expect(process.output).not.toMatch(/^\s+at /m);
  });
});

test('lets ffmpeg use every core for the whole time limit of its job', () => {
  expect(readConfig({ JOB_TIMEOUT_SECONDS: '100' }).maxCpuSeconds).toBe(100 * availableParallelism());
});
