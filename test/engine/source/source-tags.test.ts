import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseFile } from 'music-metadata';
import { expect, test } from 'vitest';
import { containers } from '../../../contract/formats.ts';
import { tagFile } from '../../../engine/formats/tags/tag-file.ts';
import { openSource, type Source } from '../../../engine/source/source.ts';
import { useFolder } from '../../support/folder.ts';
import { makeMedia, words } from '../../support/media-files.ts';
import { jobIn, limits } from '../sound/segmented/support.ts';

const folder = useFolder();

const make = (name: string, ...args: readonly string[]) => makeMedia(folder, name, ...args);
const tagsOf = async (path: string): Promise<Source['tags']> =>
  (await openSource(path, limits, jobIn(folder).signal)).tags;

const sound = words('-f lavfi -i sine=d=1');

/** Makes the second track of an MP4 the chapters of the first. Its index must come after its media. */
async function referToChapters(path: string): Promise<void> {
  const bytes = await readFile(path);
  const movieAt = bytes.lastIndexOf('moov') - 4;
  const trackAt = bytes.indexOf('trak', movieAt) - 4;
  const mediaAt = bytes.indexOf('mdia', trackAt) - 4;
  const reference = Buffer.from('\0\0\0\u0014tref\0\0\0\u000cchap\0\0\0\u0002', 'latin1');
  for (const at of [movieAt, trackAt]) bytes.writeUInt32BE(bytes.readUInt32BE(at) + reference.length, at);
  await writeFile(path, Buffer.concat([bytes.subarray(0, mediaAt), reference, bytes.subarray(mediaAt)]));
}

test('keeps the whole date of a FLAC file that states the year in another field', async () => {
  for (const [first, second] of [
    ['DATE=2004-05-03', 'YEAR=2004'],
    ['YEAR=2004', 'DATE=2004-05-03'],
  ] as const) {
    const flac = await make('dated.flac', ...sound, '-metadata', first, '-metadata', second);
    expect((await tagsOf(flac)).metadata.get('date')).toBe('2004-05-03');
  }
});

test.each(['flac', 'opus', 'vorbis'])(
  'reads comment and description of a file of %s, whichever comes first',
  async (codec) => {
    const encoding = ['-c:a', codec === 'flac' ? codec : `lib${codec}`];
    const path = await make(codec === 'flac' ? 'own.flac' : 'own.ogg', ...sound, ...encoding);
    const container = codec === 'flac' ? 'flac' : 'ogg';
    const entries = [
      ['comment', 'Ein Kommentar'],
      ['description', 'Eine Beschreibung'],
    ] as const;
    for (const ordered of [entries, entries.toReversed()]) {
      const tagged = join(folder, `tagged.${container}`);
      await copyFile(path, tagged);
      await tagFile(container, tagged, { metadata: new Map(ordered), chapters: [], cover: undefined }, () => {});
      const { metadata } = await tagsOf(tagged);
      expect(Object.fromEntries(metadata)).toMatchObject(Object.fromEntries(entries));
    }
  },
);

test('reads the tags of an Ogg file with several streams as ffprobe does', async () => {
  const film = words('-f lavfi -i testsrc=s=64x48:d=1 -c:v libtheora -c:a libvorbis -metadata:s:a:0 DESCRIPTION=Film');
  expect(Object.fromEntries((await tagsOf(await make('film.ogv', ...sound, ...film))).metadata)).toMatchObject({
    comment: 'Film',
  });
});

test('reads tags of a WAV in Windows-1252, and tags in UTF-8 beside them', async () => {
  const tags = words('-metadata title=Muller -metadata artist=Grün');
  const wav = await make('old.wav', ...sound, ...tags);
  const bytes = await readFile(wav);
  bytes[bytes.indexOf('Muller') + 1] = 0xfc;
  await writeFile(wav, bytes);
  const { metadata } = await tagsOf(wav);
  expect(metadata.get('title')).toBe('Müller');
  expect(metadata.get('artist')).toBe('Grün');
});

/** Ids and values of the fields of a file that has the tags of the source. */
async function fieldsWith(source: string, container: 'mp3' | 'm4a' | 'flac'): Promise<Map<string, unknown>> {
  const { metadata } = await tagsOf(source);
  const path = await make(`fields.${container}`, ...sound, ...containers[container].muxerOptions);
  await tagFile(container, path, { metadata, chapters: [], cover: undefined }, () => {});
  const { native } = await parseFile(path);
  return new Map(
    Object.values(native)
      .flat()
      .map(({ id, value }) => [id, value]),
  );
}

const asOptions = (tags: Record<string, string>): string[] =>
  Object.entries(tags).flatMap(([name, text]) => ['-metadata', `${name}=${text}`]);

test('writes what an mp3 has in standard fields into standard fields', async () => {
  const frames = { TBPM: '128', TSRC: 'DEA123', TKEY: 'Am', TEXT: 'Dichterin', TIT3: 'Untertitel', TSOP: 'Frau, Eine' };
  const source = await make('frames.mp3', ...sound, ...asOptions({ ...frames, TPE3: 'Dirigent', compilation: '1' }));
  const mp3 = await fieldsWith(source, 'mp3');
  expect(Object.fromEntries(mp3)).toMatchObject({ ...frames, TPE3: 'Dirigent', TCMP: '1' });
  expect([...mp3.keys()].filter((id) => id.startsWith('TXXX'))).toEqual([]);
  expect(Object.fromEntries(await fieldsWith(source, 'flac'))).toMatchObject({
    ...{ BPM: '128', ISRC: 'DEA123', INITIALKEY: 'Am', LYRICIST: 'Dichterin', SUBTITLE: 'Untertitel' },
    ...{ ARTISTSORT: 'Frau, Eine', PERFORMER: 'Dirigent', COMPILATION: '1' },
  });
  expect(Object.fromEntries(await fieldsWith(source, 'm4a'))).toMatchObject({ tmpo: 128, soar: 'Frau, Eine' });
});

test('writes what an m4a has in standard items into standard items', async () => {
  const show = { show: 'Die Reihe', episode_id: 'E7', network: 'Sender', season_number: '2', episode_sort: '7' };
  const source = await make('items.m4a', ...sound, ...asOptions({ ...show, compilation: '1' }));
  const m4a = await fieldsWith(source, 'm4a');
  expect(Object.fromEntries(m4a)).toMatchObject({
    ...{ tvsh: 'Die Reihe', tven: 'E7', tvnn: 'Sender', tvsn: 2, tves: 7, cpil: 1 },
  });
  expect([...m4a.keys()].filter((id) => id.startsWith('----'))).toEqual([]);
});

test('keeps numbers that an item of MP4 cannot hold in a custom item', async () => {
  const source = await make('odd.flac', ...sound, ...asOptions({ BPM: '127.98', compilation: '300', TEXT: 'Eigenes' }));
  expect(Object.fromEntries(await fieldsWith(source, 'm4a'))).toMatchObject({
    '----:com.apple.iTunes:BPM': '127.98',
    '----:com.apple.iTunes:COMPILATION': '300',
    '----:com.apple.iTunes:TEXT': 'Eigenes',
  });
});

test('takes the cover of an MP4, not the first of the pictures of its chapters', async () => {
  const cover = await make('cover.png', ...words('-f lavfi -i color=red:s=64x64 -frames:v 1'));
  const pictures = words('-f lavfi -i testsrc=s=64x48:r=1:d=1');
  const codecs = words('-map 0 -map 1 -map 2 -c:a aac -c:v:0 mjpeg -c:v:1 copy -disposition:v:1 attached_pic -f mp4');
  const book = await make('book.m4b', ...sound, ...pictures, '-i', cover, ...codecs);
  await referToChapters(book);
  const { picture } = await tagsOf(book);
  expect(picture).toEqual({ kind: 'stream', index: 2 });
});
