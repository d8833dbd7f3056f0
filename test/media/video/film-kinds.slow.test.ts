import { describe, expect, test } from 'vitest';
import { useCheckedContainer } from '../checked-container.ts';
import { checkFilm } from './check-film.ts';
import { filmKinds } from './film-kinds.ts';

test('kinds of film have unique names', () => {
  const names = filmKinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe('kinds of film', () => {
  const container = useCheckedContainer();

  test.each(filmKinds.filter(({ isQuick }) => isQuick))(
    '$name yields four films and a poster as expected',
    async (kind) => {
      expect((await checkFilm(kind, container())).verdict.faults).toEqual([]);
    },
  );
});
