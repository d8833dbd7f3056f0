import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { offerSubtitles } from '../../../../engine/products/package/offer-subtitles.ts';
import { manifestName, masterName } from '../../../../engine/products/package/packager-arguments.ts';
import { offerThumbnails } from '../../../../engine/products/package/offer-thumbnails.ts';
import type { PackagePlan } from '../../../../engine/products/package/package-plan.ts';
import { packageFilm } from './packaged-film.ts';
import { testFolder } from '../../../support/folder.ts';

const plan: PackagePlan = {
  ...{ kinds: ['hls', 'dash'], layout: 'byte_ranges' },
  ...{ segmentSeconds: 2, keyframeSeconds: 1, parts: [] },
};

/** Two sheets in a package of this length, each of 120.5 s. Returns a reader of the package's files. */
async function offerSheets(seconds: number): Promise<(name: string) => Promise<string>> {
  const folder = testFolder();
  await writeFile(join(folder, masterName), '#EXTM3U\n');
  await writeFile(join(folder, manifestName), '<MPD><Period>\n  </Period></MPD>');
  const sheets = [1, 2].map((number) => ({ path: join(folder, `sheet-${number}`), contentType: 'image/jpeg' }));
  for (const { path } of sheets) await writeFile(path, Buffer.alloc(20_000));
  const thumbnails = { sheets, size: { width: 160, height: 90 }, tiles: { interval: 1.205, columns: 10, rows: 10 } };
  await offerThumbnails(plan, thumbnails, seconds, folder);
  return async (name) => await readFile(join(folder, name), 'utf8');
}

test.each([120.52, 120.5, 120.4])(
  'a sheet of thumbnails from about the end of a package of %s s lasts as long as a thumbnail',
  async (seconds) => {
    const read = await offerSheets(seconds);
    expect(await read('thumbnails.m3u8')).toMatch(/#EXTINF:120\.\d+,[^]*#EXTINF:1\.205,/);
    expect(await read(masterName)).toContain('BANDWIDTH=132781,');
    expect(await read(manifestName)).toContain('bandwidth="132781"');
  },
);

test('a manifest names the last sheet of thumbnails, after which the sound may continue for minutes', async () => {
  const manifest = await (await offerSheets(600))(manifestName);
  expect(manifest).toContain('duration="120500" media="thumbnails-$Number$.jpg" startNumber="1" endNumber="2"/>');
});

test('thumbnails and subtitles have other ids in a manifest than pictures and sound', async () => {
  const folder = await packageFilm();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const packaged = join(folder, 'byte_ranges');
  const sheet = { path: join(folder, 'sheet'), contentType: 'image/jpeg' };
  await writeFile(sheet.path, 'a sheet');
  const thumbnails = { sheets: [sheet], size: { width: 160, height: 90 }, tiles: { interval: 1, columns: 5, rows: 1 } };
  await offerThumbnails(plan, thumbnails, 5, packaged);
  const marks = { isDefault: false, isForced: false, isForHardOfHearing: false };
  const subtitles = ['s', 's-2'].map((name) => ({ name, title: name, language: undefined, cues: [], ...marks }));
  await offerSubtitles({ ...plan, subtitles }, 5, packaged);
  const manifest = await readFile(join(packaged, manifestName), 'utf8');
  const idsOf = (element: string): string[] =>
    [...manifest.matchAll(new RegExp(`<${element} id="(\\d+)"`, 'g'))].map(([, id = '']) => id);
  expect(idsOf('AdaptationSet')).toEqual(['0', '1', '2', '3', '4']);
  expect(idsOf('Representation')).toEqual(['0', '1', '2', '3', '4', '5']);
});
