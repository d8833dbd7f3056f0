import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  bandwidthOf,
  completeManifest,
  completeMaster,
  peakOf,
} from '../../../../engine/products/package/bandwidth.ts';
import { findPackageProblems } from '../../../../engine/products/package/find-problems.ts';
import { parseMaster } from '../../../../engine/products/package/media-playlist.ts';
import { findPackageNotes } from '../../../../engine/products/package/offer-problems.ts';
import { packageFilm, readPackaged, urlIn } from './packaged-film.ts';

let packaged: string;

beforeAll(async () => {
  packaged = await packageFilm();
});

afterAll(() => rm(packaged, { recursive: true, force: true }));

test.each([0, 1, 2])('noise in segment %i of a still is no problem of a finished package', async (noisy) => {
  const read = await readPackaged(join(packaged, 'files'));
  for (const { segments } of read.parts.slice(0, 2)) {
    for (const [index, segment] of segments.entries()) segment.bytes = index === noisy ? 400_000 : 1000;
  }
  expect(findPackageProblems(read)).toContainEqual(expect.stringMatching(/^v90: it takes up to/));
  const master = completeMaster(read.master!, read, { mains: [], hasCaptions: false });
  const manifest = completeManifest(read.manifest!, read);
  expect(findPackageProblems({ ...read, master, manifest })).toEqual([]);
  // The last segment lasts only a second and counts with the previous one.
  expect(findPackageNotes(read)).toHaveLength(noisy === 2 ? 0 : 2);
  if (noisy === 1) {
    const note = 'v90: its peak is 2.5 times its average; Apple advises twice at most, by a lower maxBitrate';
    expect(findPackageNotes(read)).toContain(note);
  }
});

test('the master playlist declares the peak of pictures and sound, and plays the requested sound first', async () => {
  const folder = join(packaged, 'files');
  const read = await readPackaged(folder);
  const [film, , sound] = read.parts;
  if (read.master === undefined || film === undefined || sound === undefined) throw new Error('No package');
  const german = { ...sound, main: urlIn(folder, 'a-2/main.m3u8') };
  german.segments = sound.segments.map((segment) => ({ ...segment, bytes: 100_000 * segment.seconds }));
  // The packager has put it first.
  const [line = ''] = /#EXT-X-MEDIA:.*\n/.exec(read.master.text) ?? [];
  const first = line.replace('a/main', 'a-2/main').replace('DEFAULT=NO', 'DEFAULT=YES');
  const sorted = parseMaster(read.master.text.replace(line, `${first}${line}`), read.master.url);
  const parts = [...read.parts, german];
  const master = completeMaster(sorted, { ...read, parts }, { mains: [sound.main, german.main], hasCaptions: false });
  // Average of both, which is nearly constant.
  const { bytes, seconds } = film.segments[0] ?? { bytes: 0, seconds: 1 };
  const wanted = (bytes * 8) / seconds + 800_000;
  expect(master.variants[0]?.bandwidth).toBeGreaterThanOrEqual(Math.floor(wanted));
  expect(master.variants[0]?.bandwidth).toBeLessThan(1.2 * wanted);
  const defaults = [...master.text.matchAll(/URI="(a.*?)\/main.*DEFAULT=(\w+)/g)].map(([, ...found]) => found);
  expect(defaults).toEqual([
    ['a-2', 'NO'],
    ['a', 'YES'],
  ]);
});

test.each<[string, string[]]>([
  ['as the packager may mark them', ['NO', 'YES,AUTOSELECT=YES', 'NO', 'NO,AUTOSELECT=YES']],
  ['in another order of its threads', ['NO,AUTOSELECT=YES', 'YES', 'NO,AUTOSELECT=YES', 'NO']],
])('players select the first track of each language by themselves, and no other, %s', async (_, marks) => {
  const folder = join(packaged, 'files');
  const read = await readPackaged(folder);
  const [line = ''] = /#EXT-X-MEDIA:.*\n/.exec(read.master?.text ?? '') ?? [];
  expect(line).toContain(',DEFAULT=');
  const names = ['de-2', 'de', 'en', 'en-2'];
  const tags = names.map((name, index) =>
    line
      .replace('a/main', `${name}/main`)
      .replace(/,DEFAULT=\w+(?:,AUTOSELECT=YES)?/, `,LANGUAGE="${name.slice(0, 2)}",DEFAULT=${marks[index]}`),
  );
  const sorted = parseMaster(read.master?.text.replace(line, tags.join('')) ?? '', read.master?.url ?? '');
  const mains = ['v90', 'en', 'de', 'de-2', 'en-2'].map((name) => urlIn(folder, `${name}/main.m3u8`));
  const { text } = completeMaster(sorted, read, { mains, hasCaptions: false });
  expect([...text.matchAll(/DEFAULT=(\w+(?:,AUTOSELECT=YES)?)/g)].map(([, found]) => found)).toEqual([
    ...['NO', 'NO,AUTOSELECT=YES', 'YES,AUTOSELECT=YES', 'NO'],
  ]);
});

test('the master playlist denies closed captions only if the pictures have none', async () => {
  const read = await readPackaged(join(packaged, 'files'));
  const textWith = (hasCaptions: boolean): string =>
    completeMaster(read.master!, read, { mains: [], hasCaptions }).text;
  const variants = textWith(false).match(/^#EXT-X-STREAM-INF:.*/gm);
  expect(variants?.map((tag) => tag.includes(',CLOSED-CAPTIONS=NONE'))).toEqual([true, true]);
  expect(textWith(true)).toBe(textWith(false).replaceAll(',CLOSED-CAPTIONS=NONE', ''));
});

interface Row {
  bytes: number;
  seconds: number;
}

/** Calls the check with 500 lists of random segments, and all their rows. */
function forRandomSegments(check: (segments: Row[], rows: Row[], random: (below: number) => number) => void): void {
  let state = 1;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let round = 0; round < 500; round += 1) {
    const segments = Array.from({ length: random(12) }, () => ({
      bytes: random(random(2) === 0 ? 10 : 100_000),
      seconds: (1 + random(2000)) / 1000,
    }));
    const rows = segments.flatMap((_, from) =>
      segments.slice(from).map((_, more) => {
        const row = segments.slice(from, from + more + 1);
        const bytes = row.reduce((sum, segment) => sum + segment.bytes, 0);
        return { bytes, seconds: row.reduce((sum, { seconds }) => sum + seconds, 0) };
      }),
    );
    check(segments, rows, random);
  }
}

test('the bandwidth of a representation is the rate of its most demanding segments in a row', () => {
  forRandomSegments((segments, rows, random) => {
    const minBufferSeconds = random(3);
    const rates = rows.map(({ bytes, seconds }) => (bytes * 8) / (minBufferSeconds + seconds));
    expect(bandwidthOf(segments, minBufferSeconds)).toBeCloseTo(Math.max(0, ...rates), 6);
  });
});

test('the peak is the rate of segments in a row that last about the target duration', () => {
  forRandomSegments((segments, rows, random) => {
    const target = random(5);
    const isCounted = ({ seconds }: Row, index: number): boolean =>
      index === segments.length - 1 || (seconds > 0.5 * target - 1e-6 && seconds < 1.5 * target + 1e-6);
    const rates = rows.filter(isCounted).map(({ bytes, seconds }) => (bytes * 8) / seconds);
    const read = segments.map((segment) => ({ ...segment, uri: '', fragments: [] }));
    const part = { segments: read, playlist: { targetSeconds: target } } as unknown as Parameters<typeof peakOf>[0];
    expect(peakOf(part)).toBeCloseTo(Math.max(0, ...rates), 6);
  });
});

test('the bandwidth of a day in short segments is found in time', () => {
  const segments = Array.from({ length: 43_200 }, (_, index) => ({ bytes: 100_000 + index, seconds: 2 }));
  const startMs = performance.now();
  // About 500 segments at the end: a shorter row is half buffered, a longer one has smaller segments.
  expect(bandwidthOf(segments, 2)).toBeCloseTo(570_662, -1);
  expect(performance.now() - startMs).toBeLessThan(5000);
});
