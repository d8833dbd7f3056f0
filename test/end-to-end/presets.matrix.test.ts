import { test } from 'vitest';
import { useFolder } from '../support/folder.ts';
import { golden, goldenFilms, goldenMoments } from './golden-presets.ts';
import { expectSameByAllWays, makeBook, makeFilm, makeMoment, startAllWays } from './preset-files.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Every preset by HTTP, by the workflow and on the command line yields the same file.

const folder = useFolder();
const audioNames = Object.keys(golden);
const filmNames = Object.keys(goldenFilms);
const momentNames = Object.keys(goldenMoments);

const ways = await stopAfterAll(startAllWays(folder));
const book = await makeBook(folder);
// A request has at most eight outputs.
await ways.encodeByAll(book, audioNames.slice(0, 8));
await ways.encodeByAll(book, audioNames.slice(8));
const film = await makeFilm(folder);
await ways.encodeByAll(film, filmNames.slice(0, 8));
await ways.encodeByAll(film, filmNames.slice(8));
await ways.encodeByAll(await makeMoment(folder), momentNames);

test.each([...audioNames, ...filmNames, ...momentNames])(
  '%s yields the same packets and tags by HTTP, by the workflow and on the command line',
  async (preset) => {
    await expectSameByAllWays(ways, preset);
  },
);
