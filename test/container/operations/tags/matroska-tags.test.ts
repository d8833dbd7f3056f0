import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readTags } from '../../../engine/formats/tags/read-tags.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { pcmDigest, words } from '../../../support/media-files.ts';

const { make, encode, encoded, file, outputFile } = await useEncodes();

describe('files whose metadata ffmpeg writes', () => {
  const kinds = [
    { container: 'mka', audio: { codec: 'flac' } },
    { container: 'webm', audio: { codec: 'opus', bitrate: 64 } },
  ];

  test('writes the tags of the source into Matroska, overridden by those of the request', async () => {
    const told = ['-metadata', 'title=Das Buch', '-metadata', 'artist=Eine Frau', '-metadata:s:a:0', 'language=fra'];
    await make('told.mka', '-i', file('second.wav'), ...told, '-c:a', 'flac', '-f', 'matroska');
    const metadata = {
      title: '-y "Ä" 🎧\nx',
      album: "a;b'c:d=e,%{n}\\",
      track: '3/12',
      'Own Key': 'x=y',
      language: 'deu',
    };
    await encoded('told.mka', [...kinds.map((kind) => ({ ...kind, metadata })), ...kinds]);
    for (const [index, { container }] of kinds.entries()) {
      const { format, streams } = await probeAll(outputFile('told.mka', index));
      const { title, album } = { title: '-y "Ä" 🎧 x', album: metadata.album };
      expect({ container, ...format.tags }).toMatchObject({ container, title, ARTIST: 'Eine Frau', ALBUM: album });
      expect({ container, ...streams[0]?.tags }).toMatchObject({ container, language: 'deu' });
      const found = await readTags(outputFile('told.mka', index));
      expect({ container, ...found }).toMatchObject({ container, title, artist: 'Eine Frau', track: { no: 3 } });
      expect([...found.native.values()]).toEqual(expect.arrayContaining(['x=y', album]));
      const kept = await readTags(outputFile('told.mka', index + kinds.length));
      expect({ container, ...kept }).toMatchObject({
        container,
        title: 'Das Buch',
        artist: 'Eine Frau',
      });
      expect((await probeAll(outputFile('told.mka', index + kinds.length))).streams[0]?.tags?.['language']).toBe('fra');
      const plain = outputFile('told.mka', index + kinds.length);
      expect(await pcmDigest(outputFile('told.mka', index), 's16le')).toBe(await pcmDigest(plain, 's16le'));
    }
  });

  test('cleans and bounds the tags of a hostile source in Matroska', async () => {
    const long = Array.from({ length: 30 }, (_, index) => `key${index}=${'ä'.repeat(9000)}`);
    const texts = [`title=evil\u001b[31m`, `comment=${'x'.repeat(500_000)}`, `encoder=mine`, ...long];
    await writeFile(file('hostile.txt'), [';FFMETADATA1', ...texts, ''].join('\n'));
    await make(
      'hostile.flac',
      '-i',
      file('second.wav'),
      '-i',
      file('hostile.txt'),
      ...words('-map_metadata 1 -c:a flac'),
    );
    await encoded('hostile.flac', kinds);
    for (const [index] of kinds.entries()) {
      const { format } = await probeAll(outputFile('hostile.flac', index));
      const { title, encoder = '', ...others } = format.tags ?? {};
      expect(title).toBe('evil [31m');
      expect(encoder).toMatch(/^Lavf/);
      const bytes = Object.entries(others).map(([name, text]) => Buffer.byteLength(name + text));
      expect(Math.max(...bytes)).toBeGreaterThan(16_384);
      expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(65_600);
    }
  });

  test('accepts 64 KiB of metadata and no chapters in Matroska', async () => {
    const entries = (count: number) => Array.from({ length: count }, (_, index) => [`k${index}`, 'ä'.repeat(8000)]);
    const full = await encode(
      'second.wav',
      kinds.map((kind) => ({ ...kind, metadata: Object.fromEntries(entries(4)) })),
    );
    expect(full.body).toMatchObject({ success: true });
    expect((await readTags(outputFile('second.wav'))).native.size).toBeGreaterThanOrEqual(4);
    const tooLong = await encode('second.wav', [{ container: 'mka', metadata: Object.fromEntries(entries(5)) }]);
    expect(tooLong.body).toMatchObject({
      code: 'unsupported_format',
      error: expect.stringMatching(/mka files hold at most 65536 bytes of metadata, and the request has 80010/),
    });
    const chapters = await encode('second.wav', [{ container: 'mka', chapters: [{ start: 0, title: 'a' }] }]);
    expect(chapters.body).toMatchObject({
      code: 'unsupported_format',
      error: expect.stringMatching(/mka files cannot hold chapters; mp3, /),
    });
  });
});
