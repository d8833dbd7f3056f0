import { expect, test } from 'vitest';
import { createRunName } from '../../client/run-name.ts';

test.each([
  ['talk', /^encode-talk-[0-9a-f]{10}$/],
  ['Über uns / Teil 2', /^encode-U-ber-uns-Teil-2-[0-9a-f]{10}$/],
  ['…', /^encode-[0-9a-f]{10}$/],
  ['x'.repeat(300), /^encode-x{40}-[0-9a-f]{10}$/],
])('a run of %s has a workflow id that needs no escaping in shells and URLs', (source, name) => {
  expect(createRunName('encode', source)).toMatch(name);
});

test('20,000 runs of sources with the same name have different ids', () => {
  const ids = new Set(Array.from({ length: 20_000 }, () => createRunName('encode', 'recording')));
  expect(ids.size).toBe(20_000);
});
