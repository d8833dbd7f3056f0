import { expect, test } from 'vitest';
import { createRunName } from '../../client/run-name.ts';

test.each([
  ['talk', /^encode-talk-[0-9a-f]{6}$/],
  ['Über uns / Teil 2', /^encode-U-ber-uns-Teil-2-[0-9a-f]{6}$/],
  ['…', /^encode-[0-9a-f]{6}$/],
  ['x'.repeat(300), /^encode-x{40}-[0-9a-f]{6}$/],
])('a run of %s has a workflow id that needs no escaping in shells and URLs', (source, name) => {
  expect(createRunName('encode', source)).toMatch(name);
});

test('two runs of the same source have different ids', () => {
  expect(createRunName('encode', 'talk')).not.toBe(createRunName('encode', 'talk'));
});
