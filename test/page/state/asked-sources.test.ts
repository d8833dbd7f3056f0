import { expect, test, vi } from 'vitest';
import { stubPageGlobals } from './page-globals.ts';

stubPageGlobals();
const { holdfast } = await import('../../../page/api/holdfast.ts');
const { askedNow, askForUrls, hasOnlySound, startAsked, stopAsking } =
  await import('../../../page/state/asked-sources.ts');

test('a choice starts only the sources that it was made for, and later ones are asked about', async () => {
  const started: unknown[] = [];
  vi.spyOn(holdfast, 'start').mockImplementation(async ({ input }) => {
    started.push(input);
    const startedAt = '2026-11-30T06:00:00.000Z';
    return { id: 'one', runId: 'r', workflow: 'encode', state: 'queued', startedAt };
  });
  askForUrls(['https://media/one.mp4', 'https://media/two.mp4']);
  const shown = askedNow.value;
  // Both happen while the pictures and subtitles of the choice are uploaded.
  askForUrls(['https://media/later.mp4']);
  hasOnlySound(shown[0]!);
  const isLast = startAsked({ id: 'choice', presets: [], extras: { trim: { end: 9 } } }, shown);
  expect([isLast, askedNow.value.map(({ name }) => name)]).toEqual([false, ['later.mp4']]);
  await vi.waitFor(() => expect(started).toHaveLength(2));
  expect(started).toMatchObject([{ sourceUrl: 'https://media/one.mp4' }, { sourceUrl: 'https://media/two.mp4' }]);
  const later = askedNow.value;
  stopAsking();
  expect(startAsked({ id: 'next', presets: [], extras: {} }, later)).toBe(true);
  expect(started).toHaveLength(2);
});
