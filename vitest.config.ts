import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Each file in a process of its own: a Temporal environment, a container and ffmpeg belong to one file.
    pool: 'forks',
    // Two cores: files side by side would only make each other's timeouts lie.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
