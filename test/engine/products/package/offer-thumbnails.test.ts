import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manifestName, masterName } from '../../../../engine/products/package/packager-arguments.ts';
import { offerThumbnails } from '../../../../engine/products/package/offer-thumbnails.ts';
import type { PackagePlan } from '../../../../engine/products/package/package-plan.ts';
import { testFolder } from '../../../support/folder.ts';

const plan: PackagePlan = {
  ...{ kinds: ['hls', 'dash'], layout: 'byte_ranges' },
  ...{ segmentSeconds: 2, keyframeSeconds: 1, parts: [] },
};

test.each([120.52, 120.5, 120.4])(
  'a sheet of thumbnails from about the end of a package of %s s lasts as long as a thumbnail',
  async (seconds) => {
    const folder = testFolder();
    await writeFile(join(folder, masterName), '#EXTM3U\n');
    await writeFile(join(folder, manifestName), '<MPD><Period>\n  </Period></MPD>');
    const sheets = [1, 2].map((number) => ({ path: join(folder, `sheet-${number}`), contentType: 'image/jpeg' }));
    for (const { path } of sheets) await writeFile(path, Buffer.alloc(20_000));
    const thumbnails = { sheets, size: { width: 160, height: 90 }, tiles: { interval: 1.205, columns: 10, rows: 10 } };
    await offerThumbnails(plan, thumbnails, seconds, folder);
    const read = async (name: string): Promise<string> => await readFile(join(folder, name), 'utf8');
    expect(await read('thumbnails.m3u8')).toMatch(/#EXTINF:120\.\d+,[^]*#EXTINF:1\.205,/);
    expect(await read(masterName)).toContain('BANDWIDTH=132781,');
    expect(await read(manifestName)).toContain('bandwidth="132781"');
  },
);
