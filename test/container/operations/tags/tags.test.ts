import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { probeChapters, readTags } from '../../../engine/formats/tags/read-tags.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { motion, quickH264 } from '../../../support/films.ts';
import { pcmDigest, probe, words } from '../../../support/media-files.ts';

const service = await useEncodes();
const { make, fromMusic, encode, encoded, file, outputFile, expectNothingUploaded } = service;

const tagsIn = async (path: string): Promise<Record<string, string>> => (await probeAll(path)).format.tags ?? {};

const picture = (name: string, size: string) => make(name, '-f', 'lavfi', '-i', `testsrc=s=${size}`, '-frames:v', '1');

const formats = ['mp3_128', 'aac_96', 'opus_64', 'vorbis_96', 'flac', 'alac', 'wav'].map((format) => ({ format }));

/** An audiobook with tags, chapters and a cover. */
async function makeBook(name: string): Promise<void> {
  await picture('book.png', '600x400');
  await writeFile(
    file('book.txt'),
    [
      ';FFMETADATA1\ntitle=Das Buch\nartist=Eine Frau\n',
      '[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1500\ntitle=Eins\n',
      '[CHAPTER]\nTIMEBASE=1/1000\nSTART=1500\nEND=3501\ntitle=Zwei\n',
      '[CHAPTER]\nTIMEBASE=1/1000\nSTART=3501\nEND=5000\ntitle=Drei\n',
    ].join('\n'),
  );
  await make(
    name,
    ...['-i', file('music.wav'), '-i', file('book.txt'), '-i', file('book.png')],
    ...['-map', '0:a', '-map', '2:v', '-map_metadata', '1', '-map_chapters', '1', '-c:a', 'aac', '-c:v', 'copy'],
    ...['-disposition:v', 'attached_pic', '-f', 'ipod'],
  );
}

const bookChapters = [
  { start: 0, title: 'Eins' },
  { start: 1.5, title: 'Zwei' },
  { start: 3.501, title: 'Drei' },
];

describe('tags of the source', () => {
  test('keeps metadata, chapters and cover of the source in every kind of file that can hold them', async () => {
    await makeBook('book.m4b');
    const answer = await encode('book.m4b', formats);
    expect(answer.body).toMatchObject({ success: true });
    for (const [index, { format }] of formats.entries()) {
      expect(answer.body.outputs[index]).toMatchObject({ chapters: 3, cover: { width: 600, height: 400 } });
      const found = await readTags(outputFile('book.m4b', index));
      expect({ format, ...found }).toMatchObject({ format, title: 'Das Buch', artist: 'Eine Frau' });
      // The picture of the source is kept unchanged, since it is not for a directory.
      expect(found.picture).toEqual({ mimeType: 'image/png', bytes: await readFile(file('book.png')) });
      const chapters = await probeChapters(outputFile('book.m4b', index));
      expect({ format, chapters: chapters.map(({ title }) => title) }).toEqual({
        format,
        chapters: ['Eins', 'Zwei', 'Drei'],
      });
      for (const [at, { start }] of chapters.entries()) expect(start).toBeCloseTo(bookChapters[at]?.start ?? -1, 3);
    }
  });

  test('leaves tags out on request, and keeps the sound the same', async () => {
    await makeBook('bare.m4b');
    const none = { metadata: { title: '', artist: 'Niemand' }, chapters: 'none', cover: 'none' } as const;
    const answer = await encode('bare.m4b', [{ format: 'mp3_128', ...none }, { format: 'mp3_128' }]);
    expect(answer.body.outputs[0]).not.toHaveProperty('chapters');
    expect(answer.body.outputs[0]).not.toHaveProperty('cover');
    expect(await readTags(outputFile('bare.m4b'))).toMatchObject({
      ...{ title: undefined, artist: 'Niemand', chapters: [], picture: undefined },
    });
    expect(await pcmDigest(outputFile('bare.m4b'), 's16le')).toBe(await pcmDigest(outputFile('bare.m4b', 1), 's16le'));
  });

  test('carries tags unchanged through Ogg, FLAC and mp3', async () => {
    await makeBook('round.m4b');
    let source = 'round.m4b';
    const metadata = { 'Show ID': '17' };
    for (const format of ['opus_64', 'flac', 'mp3_128', 'vorbis_96', 'aac_96']) {
      const own = source === 'round.m4b' ? { metadata } : {};
      await encoded(source, [{ format, ...own }]);
      source = `out/${source}/0`;
    }
    const found = await readTags(file(source));
    expect(found).toMatchObject({ title: 'Das Buch', artist: 'Eine Frau', chapters: bookChapters });
    expect(found.native.get('----:com.apple.iTunes:SHOW ID')).toBe('17');
    expect(found.picture?.bytes).toEqual(await readFile(file('book.png')));
  });
});

test('leaves out where and when a phone recorded a film, unless the request says it', async () => {
  const place = '+48.1374+011.5755/';
  const recorded = {
    'com.apple.quicktime.location.ISO6709': place,
    'com.apple.quicktime.location.accuracy.horizontal': '4.6',
    'com.apple.quicktime.creationdate': '2026-03-01T12:00:00+0100',
    'com.android.version': '16',
    'com.samsung.android.utc_offset': '+0100',
    location: place,
  };
  const given = (tags: object) => Object.entries(tags).flatMap(([name, text]) => ['-metadata', `${name}=${text}`]);
  const film = [...motion(1), ...fromMusic(), ...words('-shortest -c:a aac'), ...quickH264];
  const apple = given({ ...recorded, title: 'Im Park' });
  await make('apple.mov', ...film, ...words('-movflags use_metadata_tags'), ...apple);
  await make(
    'android.mp4',
    '-i',
    file('apple.mov'),
    ...words('-map_metadata -1 -c copy'),
    ...given({ location: place }),
  );
  const copied = { video: { codec: 'h264', copy: true } } as const;
  const requests: DescribedOutput[] = [
    { container: 'mp4', ...copied },
    { container: 'mkv', ...copied },
    { format: 'flac' },
    { format: 'flac', metadata: { location: 'Berlin' } },
  ];
  for (const source of ['apple.mov', 'android.mp4']) {
    expect(Object.values(await tagsIn(file(source))).join()).toContain('+48.137');
    await encoded(source, requests);
    for (const index of requests.keys()) {
      const { TITLE, title = TITLE, ...others } = await tagsIn(outputFile(source, index));
      expect(title).toBe(source === 'apple.mov' ? 'Im Park' : undefined);
      const named = Object.keys(others).filter((name) => /location|android|quicktime/i.test(name));
      expect(named).toEqual(requests[index]?.metadata === undefined ? [] : ['LOCATION']);
    }
    expect(await tagsIn(outputFile(source, 3))).toMatchObject({ LOCATION: 'Berlin' });
  }
});

test('places the chapters of a file whose clock begins late where they are heard', async () => {
  const chapter = (start: number) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${start + 1000}\ntitle=${start}\n`;
  await writeFile(file('clock.txt'), [';FFMETADATA1\n', ...[100_000, 101_500, 103_500].map(chapter)].join(''));
  const clock = ['-i', file('clock.txt'), ...words('-map 0:a -map_chapters 1 -c:a flac -output_ts_offset 100')];
  await make('clock.mkv', '-i', file('music.wav'), ...clock);
  const answer = await encode('clock.mkv', [{ format: 'mp3_128' }]);
  expect(answer.body.outputs[0]).toMatchObject({ chapters: 3 });
  const found = await probeChapters(outputFile('clock.mkv'));
  expect(found.map(({ start }) => start.toFixed(1))).toEqual(['0.0', '1.5', '3.5']);
});

describe('tags of the request', () => {
  test('writes the tags of the request over those of the source', async () => {
    await makeBook('over.m4b');
    const metadata = { title: 'Neu: “Ä” 🎧', track: 3, date: '2026-11-22', comment: 'Zwei\nZeilen', 'Own Key': 'x=y' };
    const chapters = [
      { start: 4, title: 'Ende', url: 'https://media.test/end' },
      { start: 0.25, title: 'Anfang' },
    ];
    const answer = await encode(
      'over.m4b',
      formats.map((format) => ({ ...format, metadata, chapters })),
    );
    expect(answer.body).toMatchObject({ success: true });
    for (const [index, { format }] of formats.entries()) {
      const found = await readTags(outputFile('over.m4b', index));
      expect({ format, ...found }).toMatchObject({
        ...{ format, title: metadata.title, artist: 'Eine Frau', date: '2026-11-22', track: { no: 3 } },
      });
      expect(found.comments).toContain('Zwei\nZeilen');
      expect([...found.native.values()]).toContain('x=y');
      const probed = await probeChapters(outputFile('over.m4b', index));
      // A chapter track begins with the file; its part before the first chapter has no title.
      expect(probed.map(({ title }) => title).filter(Boolean)).toEqual(['Anfang', 'Ende']);
      expect(probed.find(({ title }) => title === 'Ende')?.start).toBeCloseTo(4, 3);
      expect(answer.body.outputs[index].chapters).toBe(2);
    }
  });

  test('fetches podcast chapters and a cover by URL once for all outputs', async () => {
    const json = {
      version: '1.2.0',
      chapters: [
        { startTime: 0, title: 'Hallo' },
        { startTime: 1, title: 'nur ein Bild', toc: false, img: 'https://media.test/picture.jpg' },
        { startTime: 2.5, title: 'Thema', url: 'https://media.test/topic', endTime: 4 },
      ],
    };
    await writeFile(file('chapters.json'), JSON.stringify(json));
    await picture('wide.png', '2000x1600');
    const chapters = { url: service.media.serve('/chapters.json', file('chapters.json')) };
    const cover = { url: service.media.serve('/wide.png', file('wide.png')) };
    const requests = formats.map((format) => ({ ...format, chapters, cover }));
    const plain = await encode('music.wav', formats);
    const answer = await encode('music.wav', requests);
    expect(answer.body).toMatchObject({ success: true });
    expect(service.media.count('GET /chapters.json')).toBe(1);
    expect(service.media.count('GET /wide.png')).toBe(1);
    for (const [index] of formats.entries()) {
      expect(answer.body.outputs[index]).toMatchObject({ chapters: 2, cover: { width: 1600, height: 1600 } });
      expect(answer.body.outputs[index].bitrate).toBe(plain.body.outputs[index].bitrate);
      const found = await readTags(outputFile('music.wav', index));
      expect(found.picture?.mimeType).toBe('image/jpeg');
      expect(found.picture?.bytes.length).toBe(answer.body.outputs[index].cover.size);
      expect(await probeChapters(outputFile('music.wav', index))).toEqual([
        { start: 0, title: 'Hallo' },
        { start: 2.5, title: 'Thema' },
      ]);
    }
    const made = file('made.jpg');
    await writeFile(made, (await readTags(outputFile('music.wav'))).picture?.bytes ?? '');
    expect(await probe(made, '-show_entries', 'stream=width,height,pix_fmt')).toMatchObject({
      streams: [{ width: 1600, height: 1600, pix_fmt: 'yuvj420p' }],
    });
  });

  test.each([
    ['600x400', 1400],
    ['4000x4000', 3000],
  ])('makes a cover of %s a square JPEG of %i pixels', async (size, side) => {
    await picture('cover.png', size);
    const cover = { url: service.container.fileUrl('cover.png') };
    const answer = await encode('second.wav', [{ format: 'mp3_64', cover }]);
    expect(answer.body.outputs[0]).toMatchObject({ cover: { width: side, height: side } });
  });

  test('makes the cover of the source fit for directories if the request says keep', async () => {
    await makeBook('keep.m4b');
    const answer = await encode('keep.m4b', [{ format: 'mp3_128', cover: 'keep', chapters: 'keep' }]);
    expect(answer.body.outputs[0]).toMatchObject({ chapters: 3, cover: { width: 1400, height: 1400 } });
    expect((await readTags(outputFile('keep.m4b'))).picture?.mimeType).toBe('image/jpeg');
  });

  test('keeps late chapters of an m4b that is encoded again', async () => {
    const chapters = [
      { start: 0.25, title: 'Eins' },
      { start: 0.5, title: 'Zwei' },
    ];
    const m4b = { container: 'm4b', audio: { bitrate: 64 }, chapters };
    const made = await encode('late.wav', [m4b], { sourceUrl: fileUrlOf('second.wav') });
    expect(made.body.outputs[0]).toMatchObject({ chapters: 2 });
    const again = await encode('out/late.wav/0', [{ format: 'flac' }]);
    expect(again.body.outputs[0]).toMatchObject({ chapters: 2 });
    expect(await probeChapters(outputFile('out/late.wav/0'))).toEqual(chapters);
  });

  test('rejects chapters beyond the end and uploads nothing', async () => {
    const chapters = [
      { start: 0, title: 'Da' },
      { start: 5.5, title: 'Nicht da' },
    ];
    const answer = await encode('music.wav', [{ format: 'mp3_64', chapters }], { sourceUrl: fileUrlOf('music.wav') });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', details: { field: 'chapters' } } });
    expect(answer.body.error).toMatch(/"Nicht da" begins at 5\.5 s, and the source is 5\.000 s long/);
    const other = await encode('beyond.wav', [{ format: 'mp3_64', chapters }], { sourceUrl: fileUrlOf('music.wav') });
    expect(other.status).toBe(400);
    await expectNothingUploaded('beyond.wav');
  });

  test('rejects tags for a format without tags before it fetches anything', async () => {
    const sourceUrl = service.media.serve('/untagged.wav', file('music.wav'));
    const requests = [{ format: 'ac3_192', metadata: { title: 'x' }, chapters: [{ start: 0, title: 'a' }] }];
    const answer = await encode('untagged.wav', requests, { sourceUrl });
    expect(answer).toMatchObject({ body: { code: 'unsupported_format' } });
    expect(answer.body.error).toMatch(
      /ac3 files cannot hold metadata or chapters; mp3, m4a, m4b, mp4, mov, ogg, flac or wav files can/,
    );
    expect(service.media.count('GET /untagged.wav')).toBe(0);
  });
});

const fileUrlOf = (name: string): string => service.container.fileUrl(name);

test('makes the same sound in segments with and without tags', async () => {
  await make('long.wav', '-i', file('music.wav'), '-af', 'aloop=loop=-1:size=220500', '-t', '70', '-c:a', 'pcm_s16le');
  const chapters = [
    { start: 0, title: 'Anfang' },
    { start: 65.75, title: 'Ende' },
  ];
  for (const format of ['mp3_128', 'aac_96']) {
    await encoded('long.wav', [{ format, chapters, metadata: { title: 'Lang' } }, { format }]);
    expect(await pcmDigest(outputFile('long.wav'), 's16le')).toBe(await pcmDigest(outputFile('long.wav', 1), 's16le'));
    expect(await readTags(outputFile('long.wav'))).toMatchObject({ title: 'Lang', chapters });
  }
});
