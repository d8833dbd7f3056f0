import { expect, test } from 'vitest';
import { admitMemory } from '../../../../container/encode/video/memory.ts';

test('what needs more memory than there is says how much, and what can be done', () => {
  expect(() => admitMemory(1000 * 1024 ** 2, 1000 * 1024 ** 2)).not.toThrow();
  expect(() => admitMemory(1001 * 1024 ** 2, 1000 * 1024 ** 2)).toThrow(
    /need about 1001 MiB .* may use 1000 MiB\. Ask for fewer/,
  );
});
