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
