import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIndexes, groupItems, parseIndexes, ungroupItems } from '../../contract/index-ranges.ts';

test.each([
  [[], ''],
  [[0], '0'],
  [[0, 1, 2], '0-2'],
  [[0, 2, 3, 7], '0,2-3,7'],
])('%j is written as "%s"', (indexes, text) => {
  expect(formatIndexes(indexes)).toBe(text);
  expect(parseIndexes(text)).toEqual(indexes);
});

test('returns each item at its index', () => {
  const item = fc.oneof(fc.constantFrom({ kind: 'open' }, { kind: 'completed', attempts: 1 }), fc.object());
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const asPayload = JSON.parse(JSON.stringify(items)) as unknown[];
      expect(ungroupItems(groupItems(asPayload))).toEqual(asPayload);
    }),
  );
});
