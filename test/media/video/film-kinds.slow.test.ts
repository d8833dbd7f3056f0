import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { expectNothingLeaked } from '../../support/leaks.ts';
import { checkFilm } from './check-film.ts';
import { filmKinds } from './film-kinds.ts';

test('no two kinds of film have one name', () => {
  const names = filmKinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe('made into four films and an image, beside what plain ffmpeg decodes', { timeout: 120_000 }, () => {
  let container: TestContainer;

  beforeAll(async () => {
    container = await TestContainer.start();
  });

  afterAll(async () => {
    expect(await container.jobFolders()).toEqual([]);
    await container.stop();
    expectNothingLeaked(container);
  });

  test.each(filmKinds.filter(({ isQuick }) => isQuick))('$name is as its kind states', async (kind) => {
    expect((await checkFilm(kind, container)).verdict.faults).toEqual([]);
  });
});
