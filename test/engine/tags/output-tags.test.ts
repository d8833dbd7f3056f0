import { expect, test } from 'vitest';
import { planTags } from '../../../engine/tags/output-tags.ts';

test.each([
  ['in any case', { isrc: 'DEA123', bpm: '128' }, { ISRC: 'FR456', BPM: '' }, ['isrc', 'FR456']],
  ['of another name', { bpm: '128', sort_album: 'old' }, { TBPM: '', ALBUMSORT: 'new' }, ['sort_album', 'new']],
])('overrides and removes tags of the source by the names of their fields, %s', async (_, known, asked, left) => {
  const source = { tags: { metadata: new Map(Object.entries(known)), chapters: [], beginsAt: 0 }, tracks: [] };
  const linked = { chapters: () => [], cover: () => expect.unreachable() };
  const planned = await planTags({ metadata: asked }, source, {}, async () => undefined, linked);
  expect([...planned.metadata]).toEqual([left]);
});
