import { describe, expect, test } from 'vitest';
import { useCheckedContainer } from '../checked-container.ts';
import { checkFilm } from './check-film.ts';
import { filmKinds } from './film-kinds.ts';

test('no two kinds of film have one name', () => {
  const names = filmKinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe('made into four films and an image, beside what plain ffmpeg decodes', { timeout: 120_000 }, () => {
  const container = useCheckedContainer();

  test.each(filmKinds.filter(({ isQuick }) => isQuick))('$name is as its kind states', async (kind) => {
    expect((await checkFilm(kind, container())).verdict.faults).toEqual([]);
  });
});
