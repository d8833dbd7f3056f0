import { expect, test } from 'vitest';
import { packedItem, packedItems, packList } from '../../contract/packed-list.ts';

test('returns the packed items, one by one and in order', () => {
  const items = [{ index: 0, name: 'ä' }, { index: 1 }, { index: 2, name: '線🎧' }];
  const list = packList(items);
  expect([...packedItems(list)]).toEqual(items);
  expect([packedItem(list, 0), packedItem(list, 2), packedItem(list, 3)]).toEqual([items[0], items[2], undefined]);
  expect([...packedItems(packList([]))]).toEqual([]);
});
