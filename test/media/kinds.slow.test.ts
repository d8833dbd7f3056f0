import { describe, expect, test } from 'vitest';
import { checkKind } from './check-kind.ts';
import { useCheckedContainer } from './checked-container.ts';
import { kinds } from './kinds.ts';
import { readTable } from './table.ts';

test('no two kinds of source have one name', () => {
  const names = kinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('docs/media.md lists every kind and no other, by `npm run check:media`', () => {
  expect([...readTable().keys()]).toEqual(kinds.map(({ name }) => name));
});

// Some 25 processes for each kind: two seconds, and half a minute on a machine with much else to do.
describe('encoded and cut, beside what plain ffmpeg decodes', { timeout: 240_000 }, () => {
  const container = useCheckedContainer();

  test.each(kinds.filter(({ isQuick }) => isQuick))('$name is as its kind states', async (kind) => {
    const { encode, chunk } = await checkKind(kind, container());
    expect({ encode: encode.faults, chunk: chunk.faults }).toEqual({ encode: [], chunk: [] });
  });
});
