import { describe, expect, test } from 'vitest';
import { checkKind } from './check-kind.ts';
import { useCheckedContainer } from './checked-container.ts';
import { kinds } from './kinds.ts';
import { readTable } from './table.ts';

test('kinds of source have unique names', () => {
  const names = kinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('docs/media.md lists exactly the kinds of source', () => {
  expect([...readTable().keys()]).toEqual(kinds.map(({ name }) => name));
});

// About 25 processes per kind take two seconds, or half a minute on a loaded machine.
describe('kinds of source', { timeout: 240_000 }, () => {
  const container = useCheckedContainer();

  test.each(kinds.filter(({ isQuick }) => isQuick))('$name is encoded and cut as expected', async (kind) => {
    const { encode, chunk } = await checkKind(kind, container());
    expect({ encode: encode.faults, chunk: chunk.faults }).toEqual({ encode: [], chunk: [] });
  });
});
