import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPackageProblems } from '../../../../engine/products/package/find-problems.ts';
import type { PlaylistSegment } from '../../../../engine/products/package/media-playlist.ts';
import { findPackageNotes } from '../../../../engine/products/package/offer-problems.ts';
import { edit, editBox, expectedIn, packageFilm, readPackaged } from './packaged-film.ts';
import { testFolder } from '../../../support/folder.ts';

let packaged: string;

beforeAll(async () => {
  packaged = await packageFilm();
});

afterAll(() => rm(packaged, { recursive: true, force: true }));

/** Problems found in a damaged copy. */
async function problemsAfter(
  damage: (folder: string) => Promise<void>,
  layout: 'files' | 'byte_ranges',
  only?: 'playlist' | 'manifest',
): Promise<string[]> {
  const folder = testFolder();
  await cp(join(packaged, layout), folder, { recursive: true });
  await damage(folder);
  const isOwn = layout === 'files' && only === undefined;
  return findPackageProblems(await readPackaged(folder, only), isOwn ? expectedIn(folder) : undefined);
}

test.each(['files', 'byte_ranges'] as const)('an intact package of %s has no problems', async (layout) => {
  for (const only of [undefined, 'playlist', 'manifest'] as const) {
    expect(await problemsAfter(async () => {}, layout, only)).toEqual([]);
  }
  expect(findPackageNotes(await readPackaged(join(packaged, layout)))).toEqual([]);
});

const addTicks =
  (ticks: number) =>
  (tfdt: Buffer): void => {
    const at = tfdt[0] === 1 ? 8 : 4;
    tfdt.writeUInt32BE(tfdt.readUInt32BE(at) + ticks, at);
  };

/** Clears the first sample's flags. Its duration and size follow the box flags, the count and the data offset. */
const clearKeyFrame = (trun: Buffer): void => {
  const present = trun.readUInt32BE(0);
  trun.writeUInt32BE(0x1010000, 12 + 4 * ((present >> 8) & 1) + 4 * ((present >> 9) & 1));
};

test.each<[string, (folder: string) => Promise<void>, string]>([
  [
    'a codec that its pictures do not have',
    (folder) => edit(join(folder, 'master.m3u8'), /avc1\.[0-9a-f]{6}/, 'hvc1.1.6.L30.90'),
    'v90: its pictures are avc1, and the master playlist says hvc1.1.6.L30.90,mp4a.40.2',
  ],
  [
    'a playlist that does not end',
    (folder) => edit(join(folder, 'v90/main.m3u8'), '#EXT-X-ENDLIST', ''),
    'v90: its playlist does not end',
  ],
  [
    'a segment beyond the target duration',
    (folder) => edit(join(folder, 'v90/main.m3u8'), /TARGETDURATION:\d/, 'TARGETDURATION:1'),
    'v90: segment 1 is longer than the target duration of 1 s',
  ],
  [
    'a segment without a key frame',
    (folder) => editBox(join(folder, 'v46/2.m4s'), 'trun', clearKeyFrame),
    'v46: segment 2 does not begin with a key frame',
  ],
  [
    'a size whose segments begin elsewhere',
    (folder) => editBox(join(folder, 'v46/2.m4s'), 'tfdt', addTicks(512)),
    'v46: from segment 2 on it does not begin with v90',
  ],
  [
    'sound without its priming',
    (folder) => editBox(join(folder, 'a/init.mp4'), 'trak', (trak) => trak.write('free', trak.indexOf('edts'))),
    'a: it begins 21.3 ms late',
  ],
  [
    'sound with more than its priming',
    (folder) =>
      editBox(join(folder, 'a/init.mp4'), 'elst', (elst) => elst.writeUInt32BE(2048, elst[0] === 1 ? 20 : 12)),
    'a: it begins 21.3 ms early',
  ],
  [
    'pictures that begin late',
    async (folder) => {
      for (const name of ['v90', 'v46']) {
        const hide = (trak: Buffer): void => void trak.write('free', trak.indexOf('edts'));
        await editBox(join(folder, name, 'init.mp4'), 'trak', hide);
      }
    },
    'v90: it begins 80.0 ms late',
  ],
  [
    'a gap between two segments',
    (folder) => editBox(join(folder, 'a/2.m4s'), 'tfdt', addTicks(1024)),
    'a: segment 2 does not start where the previous one ends',
  ],
  [
    'a segment that is shorter than its playlist says',
    (folder) => edit(join(folder, 'v90/main.m3u8'), '#EXTINF:2.000', '#EXTINF:2.400'),
    'v90: segment 1 lasts 2.000 s, and its playlist says 2.4',
  ],
  [
    'a segment without a length',
    (folder) => edit(join(folder, 'a/main.m3u8'), /#EXTINF:[\d.]+,\n3/, '#EXTINF:0.000,\n3'),
    'a: its playlist does not state the length of segment 3',
  ],
  ['a segment that is missing', (folder) => rm(join(folder, 'v46/3.m4s')), 'v46: segment 3 is missing'],
  [
    'a segment that was cut',
    async (folder) => writeFile(join(folder, 'a/2.m4s'), (await readFile(join(folder, 'a/2.m4s'))).subarray(0, -50)),
    'a: segment 2 is no fragmented MP4 (an MP4 box of an odd size)',
  ],
  [
    'an init segment of something else',
    (folder) => writeFile(join(folder, 'v90/init.mp4'), 'WEBVTT'),
    'v90: its init segment is no fragmented MP4 (an MP4 box of an odd size)',
  ],
  [
    'key frames that are missing in their playlist',
    (folder) => edit(join(folder, 'v90/iframes.m3u8'), /#EXTINF:1.000,\n#EXT-X-BYTERANGE:\d+@\d+\n2.m4s\n/, ''),
    'v90: its playlist of key frames lasts 4.000 s, and its pictures 5.000',
  ],
  [
    'a key frame that is elsewhere',
    (folder) => edit(join(folder, 'v46/iframes.m3u8'), /(BYTERANGE:\d+)@\d+\n2.m4s/, '$1@1000\n2.m4s'),
    'v46: key frame 3 is not where its playlist says',
  ],
  [
    'a choice with more bits than are promised',
    (folder) => edit(join(folder, 'master.m3u8'), /(STREAM-INF:)BANDWIDTH=\d+/, '$1BANDWIDTH=3000'),
    'v90: it takes up to 3\\d\\d kbit/s, and the master playlist says 3',
  ],
  [
    'key frames with more bits than are promised',
    (folder) => edit(join(folder, 'master.m3u8'), /(I-FRAME-STREAM-INF:)BANDWIDTH=\d+/, '$1BANDWIDTH=3000'),
    'v90: its key frames take up to \\d\\d kbit/s, and the master playlist says 3',
  ],
  [
    'an average that is none',
    (folder) => edit(join(folder, 'master.m3u8'), /AVERAGE-BANDWIDTH=\d+/, 'AVERAGE-BANDWIDTH=9000'),
    'v90: on average 3\\d\\d kbit/s, and the master playlist says 9',
  ],
  [
    'a resolution that its pictures do not have',
    (folder) => edit(join(folder, 'master.m3u8'), 'RESOLUTION=160x90', 'RESOLUTION=320x180'),
    'v90: its pictures have 160x90 pixels, and the master playlist says 320x180',
  ],
  [
    'key frames of a resolution that they do not have',
    (folder) => edit(join(folder, 'master.m3u8'), /(I-FRAME-STREAM-INF.*RESOLUTION=)81x46/, '$181x48'),
    'v46: its key frames: its pictures have 82x46 pixels, and the master playlist says 81x48',
  ],
  [
    'a rate that its pictures do not have',
    (folder) => edit(join(folder, 'master.m3u8'), 'FRAME-RATE=25.000', 'FRAME-RATE=50.000'),
    'v90: it has up to 25 pictures a second, and the master playlist says 50',
  ],
  [
    'a rate that is more than is said',
    (folder) => edit(join(folder, 'master.m3u8'), 'FRAME-RATE=25.000', 'FRAME-RATE=24.000'),
    'v90: it has up to 25 pictures a second, and the master playlist says 24',
  ],
  [
    'a manifest of another resolution',
    (folder) => edit(join(folder, 'manifest.mpd'), 'width="82"', 'width="84"'),
    'v46: its pictures have 82x46 pixels, and the manifest says 84x46',
  ],
  [
    'a manifest of another rate',
    (folder) => edit(join(folder, 'manifest.mpd'), /frameRate="[^"]*"/, 'frameRate="30000/1001"'),
    'v90: it has up to 25 pictures a second, and the manifest says 29.97',
  ],
  [
    'a size that the master playlist leaves out',
    (folder) => edit(join(folder, 'master.m3u8'), /#EXT-X-STREAM-INF.*\nv46.*\n/, ''),
    'v46: the master playlist does not offer it',
  ],
  [
    'key frames that the master playlist leaves out',
    (folder) => edit(join(folder, 'master.m3u8'), /#EXT-X-I-FRAME-STREAM-INF.*v46.*\n/, ''),
    'v46: the master playlist does not offer its key frames',
  ],
  [
    'a manifest of other segments',
    (folder) => edit(join(folder, 'manifest.mpd'), / r="1"/, ' r="2"'),
    'v90: the manifest has 4 segments, and its playlist 3',
  ],
  [
    'a manifest that counts from another segment',
    (folder) =>
      edit(
        join(folder, 'manifest.mpd'),
        'media="v90/$Number$.m4s" startNumber="1"',
        'media="v90/$Number$.m4s" startNumber="2"',
      ),
    'v90: segment 1 is another one in the manifest than in its playlist',
  ],
  [
    'a manifest of other lengths',
    (folder) => edit(join(folder, 'manifest.mpd'), / d="(\d+)" r="1"/, ' d="5000" r="1"'),
    'v90: segment 1 is not as long in the manifest as in its playlist',
  ],
  [
    'a manifest that promises too little',
    (folder) => edit(join(folder, 'manifest.mpd'), /bandwidth="\d+"/, 'bandwidth="3000"'),
    'v90: it needs \\d\\d\\d kbit/s, and the manifest says 3',
  ],
  [
    'a manifest without the sound',
    (folder) => edit(join(folder, 'manifest.mpd'), /<AdaptationSet id="1"[^]*<\/AdaptationSet>/, ''),
    'a: the manifest does not offer it',
  ],
])('%s is detected', async (_what, damage, problem) => {
  const pattern = new RegExp(`^${problem.replaceAll(/[().]/g, '\\$&')}$`);
  expect(await problemsAfter(damage, 'files')).toContainEqual(expect.stringMatching(pattern));
});

test.each<[string, 'files' | 'byte_ranges', (folder: string) => Promise<void>, string]>([
  [
    'a manifest alone that says other times',
    'files',
    (folder) => edit(join(folder, 'manifest.mpd'), / d="(\d+)" r="1"/, ' d="5000" r="1"'),
    'representation 0: segment 2 begins at 2.000 s, and the manifest says 0.391',
  ],
  [
    'a manifest alone that names segments that are not there',
    'files',
    (folder) => edit(join(folder, 'manifest.mpd'), / r="1"/, ' r="2"'),
    'representation 0: segment 4 is missing',
  ],
  [
    'an index of a file that names other bytes',
    'byte_ranges',
    // Size of the first segment.
    (folder) => editBox(join(folder, 'v46.mp4'), 'sidx', (sidx) => sidx.writeUInt32BE(999, sidx[0] === 1 ? 32 : 24)),
    'representation 1: segment 1 is no fragmented MP4 (an MP4 box of an odd size)',
  ],
])('%s is detected', async (_what, layout, damage, problem) => {
  expect(await problemsAfter(damage, layout, 'manifest')).toContain(problem);
});

test.each([1, 2, 3])('missing segment %i is reported once, without its consequences', async (number) => {
  const problems = await problemsAfter((folder) => rm(join(folder, `v90/${number}.m4s`)), 'files');
  expect(problems).toEqual([`v90: segment ${number} is missing`]);
});

test('invalid numbers are detected', async () => {
  const problems = await problemsAfter(async (folder) => {
    await edit(join(folder, 'master.m3u8'), /(STREAM-INF:)BANDWIDTH=\d+/, '$1BANDWIDTH=many');
    await edit(join(folder, 'v46/main.m3u8'), /TARGETDURATION:\d+/, 'TARGETDURATION:some');
    await edit(join(folder, 'a/main.m3u8'), /#EXTINF:[\d.]+/, '#EXTINF:long');
  }, 'files');
  expect(problems).toContainEqual(
    expect.stringMatching(/^v90: it takes up to \d+ kbit\/s, and the master playlist says 0$/),
  );
  expect(problems).toContain('v46: segment 1 is longer than the target duration of 0 s');
  expect(problems).toContainEqual(expect.stringMatching(/^a: segment 1 lasts 2\.\d+ s, and its playlist says 0$/));
});

test('key frames of a film of hours in one file are found in time', async () => {
  const read = await readPackaged(join(packaged, 'byte_ranges'));
  const [part] = read.parts;
  if (part?.keyFrames === undefined) throw new Error('No key frames');
  // Each repetition is at a later place of the file.
  const repeat = <Listed extends PlaylistSegment>(list: readonly Listed[]): Listed[] =>
    Array.from({ length: 2400 }, (_, count) =>
      list.map((one) => ({
        ...one,
        range: one.range && { ...one.range, offset: one.range.offset + count * 1_000_000 },
      })),
    ).flat();
  part.segments = repeat(part.segments);
  part.keyFrames.segments = repeat(part.keyFrames.segments);
  const last = part.keyFrames.segments.at(-1);
  if (last?.range !== undefined) last.range.offset -= 500_000;
  const startMs = performance.now();
  const problems = findPackageProblems({ ...read, manifest: undefined });
  expect(performance.now() - startMs).toBeLessThan(5000);
  expect(problems).toContain(`v90: key frame ${part.keyFrames.segments.length} is not where its playlist says`);
});
