import { parseArgs } from 'node:util';
import pMap from 'p-map';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TestContainer } from '../../support/container.ts';
import { checkFilm, type FilmResult } from './check-film.ts';
import { checkSpreadFilm } from './check-spread.ts';
import type { FilmKind } from './film-kind.ts';
import { filmKinds } from './film-kinds.ts';

// `npm run check:video [-- --spread] [<part of a name> …]` makes four outputs of every kind of film, or of those named.
// With `--spread`, it makes them in two segments, and compares them with those of one encoder.

const { values, positionals: parts } = parseArgs({
  options: { spread: { type: 'boolean', default: false } },
  allowPositionals: true,
});

async function checkAll(chosen: readonly FilmKind[]): Promise<FilmResult[]> {
  const [container, media] = await Promise.all([TestContainer.start(), MediaServer.start()]);
  const make = values.spread ? checkSpreadFilm : checkFilm;
  try {
    const check = async (kind: FilmKind): Promise<FilmResult> => {
      const result = await make(kind, container, media).catch((error: unknown): FilmResult => {
        return { kind, verdict: { faults: [String(error)], found: 'not checked' } };
      });
      const { faults, found } = result.verdict;
      console.log(`${kind.name} | ${faults.length === 0 ? found : `FAULT ${faults.join('; ')}`}`);
      return result;
    };
    // A container has one slot, and its encoders use all cores.
    return await pMap(chosen, check, { concurrency: 1 });
  } finally {
    await Promise.all([container.stop(), media.stop()]);
  }
}

const chosen = filmKinds.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
const results = await checkAll(chosen);
const faulty = results.filter(({ verdict }) => verdict.faults.length > 0);
console.log(`${results.length} kinds of film, ${faulty.length} at fault`);
for (const { kind } of faulty) console.log(`  ${kind.name}`);
if (faulty.length > 0) process.exitCode = 1;
