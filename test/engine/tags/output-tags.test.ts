import { expect, test } from 'vitest';
import { planTags } from '../../../engine/tags/output-tags.ts';

test('overrides a tag of the source by the name of its field in any case', async () => {
  const metadata = new Map([
    ['isrc', 'DEA123'],
    ['bpm', '128'],
  ]);
  const source = { tags: { metadata, chapters: [], beginsAt: 0 }, tracks: [] };
  const linked = { chapters: () => [], cover: () => expect.unreachable() };
  const planned = await planTags({ metadata: { ISRC: 'FR456', BPM: '' } }, source, {}, async () => undefined, linked);
  expect([...planned.metadata]).toEqual([['isrc', 'FR456']]);
});

test('overrides and removes tags of the source by the names of their fields', async () => {
  const metadata = new Map([
    ['bpm', '128'],
    ['sort_album', 'old'],
  ]);
  const source = { tags: { metadata, chapters: [], beginsAt: 0 }, tracks: [] };
  const linked = { chapters: () => [], cover: () => expect.unreachable() };
  const asked = { metadata: { TBPM: '', ALBUMSORT: 'new' } };
  expect([...(await planTags(asked, source, {}, async () => undefined, linked)).metadata]).toEqual([
    ['sort_album', 'new'],
  ]);
});
