import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { parseVtt } from '../../../../engine/formats/webvtt/webvtt.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { makePackageOf, readDash, readHls, readM3u8 } from './packages.ts';
import { quickH264, tone } from '../../../support/films.ts';

const service = await useEncodes();
const { file, make } = service;

const cue = (startMs: number, endMs: number, text: string) => ({ startMs, endMs, text });

const subRip = (cues: readonly ReturnType<typeof cue>[]): string => {
  const time = (ms: number): string => new Date(ms).toISOString().slice(11, 23).replace('.', ',');
  return cues
    .map(({ startMs, endMs, text }, index) => `${index + 1}\n${time(startMs)} --> ${time(endMs)}\n${text}\n`)
    .join('\n');
};

const english = [
  cue(0, 900, 'First'),
  cue(59_040, 61_500, 'Over <i>the</i> seam\nof two lines'),
  cue(59_500, 60_000, 'Beside it'),
  cue(95_123, 96_457, 'A & B > C'),
];
const german = [cue(30_000, 32_000, 'Größe')];

/** 100 seconds with subtitles in two languages (the second is the default), and a third track that is forced. */
async function makeTalk(): Promise<void> {
  await writeFile(file('en.srt'), subRip(english));
  await writeFile(file('de.srt'), subRip(german));
  await make(
    'talk.mkv',
    ...['-f', 'lavfi', '-i', 'color=gray:s=64x36:r=5:d=100', ...tone(100)],
    ...['-i', file('en.srt'), '-i', file('de.srt'), '-i', file('de.srt')],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-map', '4', ...quickH264, '-c:a', 'flac', '-c:s', 'srt'],
    ...['-metadata:s:s:0', 'language=eng', '-metadata:s:s:1', 'language=deu', '-metadata:s:s:2', 'language=deu'],
    ...['-disposition:s:0', '0', '-disposition:s:1', 'default', '-disposition:s:2', 'forced'],
  );
}

/** Cues that a player shows; a cue in several segments counts once. */
async function cuesOfPlaylist(path: string): Promise<object[]> {
  const { segments } = await readHls(path);
  const found = new Map<string, object>();
  for (const { uri } of segments) {
    const text = await readFile(join(path, '..', uri), 'utf8');
    expect(text.startsWith('WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n')).toBe(true);
    for (const one of cuesOfText(text)) found.set(JSON.stringify(one), one);
  }
  return [...found.values()];
}

const cuesOfText = (text: string) => (text.includes('-->') ? parseVtt(text.replace(/^X-TIMESTAMP-MAP.*\n/m, '')) : []);

const shown = english.map((one) => ({
  ...one,
  text: one.text.replace('A & B > C', 'A &amp; B &gt; C'),
}));
const output: DescribedOutput = {
  package: ['hls', 'dash'],
  video: { speed: 'fast' },
  renditions: [{ height: 36 }],
  audio: { bitrate: 32 },
  subtitles: 'keep',
};

test('offers subtitles of all languages in HLS and DASH, with the times and the default of the source', async () => {
  await makeTalk();
  const answer = await makePackageOf(service, 'talk.mkv', output, 'talk');
  expect(answer.subtitles?.tracks).toMatchObject([
    { codec: 'webvtt', language: 'eng', isDefault: false, cues: 4 },
    { codec: 'webvtt', language: 'deu', isDefault: true, cues: 1 },
    { codec: 'webvtt', language: 'deu', isForced: true, cues: 1 },
  ]);
  const folder = file('out/talk');
  const names = (answer.files ?? []).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('s'))).toEqual(
    ['s', 's-2', 's-3'].flatMap((name) => [`${name}.vtt`, `${name}/1.vtt`, `${name}/2.vtt`, `${name}/main.m3u8`]),
  );
  expect(answer.files?.find(({ name }) => name === 's.vtt')?.contentType).toBe('text/vtt');

  expect(await cuesOfPlaylist(join(folder, 's/main.m3u8'))).toEqual(shown);
  expect(await cuesOfPlaylist(join(folder, 's-2/main.m3u8'))).toEqual(german);
  expect(cuesOfText(await readFile(join(folder, 's.vtt'), 'utf8'))).toEqual(shown);
  // A cue that crosses the end of a segment is in both.
  const texts = async (number: number) => cuesOfText(await readFile(join(folder, `s/${number}.vtt`), 'utf8'));
  expect([await texts(1), await texts(2)]).toEqual([shown.slice(0, 3), [shown[1], shown[3]]]);
  expect(await readM3u8(join(folder, 's/main.m3u8'))).toMatchObject({
    ...{ endList: true, playlistType: 'VOD', targetDuration: 60 },
    segments: [{ duration: 60 }, { duration: expect.closeTo(40, 0) }],
  });

  const { variants } = await readHls(join(folder, 'master.m3u8'));
  const [variant] = variants as unknown as { subtitles: object[] }[];
  expect(variant?.subtitles).toMatchObject([
    { language: 'en', name: 'English', isDefault: false, autoselect: true, forced: false, uri: 's/main.m3u8' },
    { language: 'de', name: 'Deutsch', isDefault: true, autoselect: true, forced: false, uri: 's-2/main.m3u8' },
    { language: 'de', name: 'Deutsch 2', isDefault: false, autoselect: true, forced: true, uri: 's-3/main.m3u8' },
  ]);
  const manifest = (await readDash(join(folder, 'manifest.mpd'))) as unknown as {
    mediaGroups: { SUBTITLES: { subs: Record<string, object> } };
  };
  expect(Object.values(manifest.mediaGroups.SUBTITLES.subs)).toMatchObject([
    { language: 'en', playlists: [{ resolvedUri: 'http://media.test/s.vtt' }] },
    {
      language: 'de',
      playlists: [{ resolvedUri: 'http://media.test/s-2.vtt' }, { resolvedUri: 'http://media.test/s-3.vtt' }],
    },
  ]);
  const text = await readFile(join(folder, 'manifest.mpd'), 'utf8');
  expect([...text.matchAll(/role:2011" value="(.*?)"/g)].map(([, role]) => role)).toEqual([
    'subtitle',
    'main',
    'subtitle',
    'forced-subtitle',
  ]);
});

test('stores a subtitle track as one file for HLS and DASH with byte ranges, but not a burnt one', async () => {
  await makeTalk();
  const subtitles = { keep: ['eng'], burn: 'deu' };
  const answer = await makePackageOf(service, 'talk.mkv', { ...output, subtitles, layout: 'byte_ranges' }, 'ranges');
  expect(answer.subtitles).toMatchObject({ tracks: [{ cues: 4 }], burnt: { cues: 1 } });
  const folder = file('out/ranges');
  expect((answer.files ?? []).map(({ name }) => name).filter((name) => name.startsWith('s'))).toEqual([
    's.vtt',
    's.m3u8',
  ]);
  expect(await cuesOfPlaylist(join(folder, 's.m3u8'))).toEqual(shown);
  expect((await readHls(join(folder, 's.m3u8'))).segments).toMatchObject([
    { uri: 's.vtt', duration: expect.closeTo(100, 0) },
  ]);
});

test('keeps texts that are spoken after the pictures have ended', async () => {
  await writeFile(file('late.srt'), subRip([cue(500, 900, 'Seen'), cue(4000, 4500, 'Heard')]));
  await make(
    'late.mkv',
    ...['-f', 'lavfi', '-i', 'color=gray:s=64x36:r=5:d=2', ...tone(6), '-i', file('late.srt')],
    ...['-map', '0', '-map', '1', '-map', '2', ...quickH264, '-c:a', 'flac', '-c:s', 'srt'],
  );
  const answer = await makePackageOf(service, 'late.mkv', { ...output, trim: { end: 1000 } }, 'late');
  expect(answer.subtitles?.tracks).toMatchObject([{ cues: 2 }]);
  expect(await cuesOfPlaylist(file('out/late/s/main.m3u8'))).toMatchObject([
    { text: 'Seen' },
    cue(4000, 4500, 'Heard'),
  ]);
});

test('has no subtitles if its trim shows no text of the added file', async () => {
  await writeFile(file('en.srt'), subRip(english));
  await make('mute.mp4', '-f', 'lavfi', '-i', 'color=gray:s=64x36:r=5:d=4', ...quickH264);
  const subtitles = { add: [{ url: service.container.fileUrl('en.srt') }] };
  const cut = { ...output, audio: false, subtitles, trim: { start: 2 } } as const;
  const answer = await makePackageOf(service, 'mute.mp4', cut, 'mute');
  expect(answer.subtitles).toEqual({ tracks: [] });
  expect((answer.files ?? []).filter(({ name }) => name.endsWith('.vtt'))).toEqual([]);
  expect(await readFile(file('out/mute/master.m3u8'), 'utf8')).not.toContain('SUBTITLES');
  expect(await readFile(file('out/mute/manifest.mpd'), 'utf8')).not.toContain('contentType="text"');
});

test('rejects subtitles and a watermark for sound alone', async () => {
  for (const field of [{ subtitles: 'keep' }, { watermark: { url: 'https://media.test/logo.png' } }]) {
    const refused = await service.container.call('POST', '/encode', {
      sourceUrl: service.container.fileUrl('music.wav'),
      outputs: [{ preset: 'hls-audio', ...field, deliver: 'on_demand' }],
    });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain('needs pictures, and it has none');
  }
});

/** A frame of MPEG-2 has its user data before the first slice: here CEA-608 in A/53, as broadcasts have it. */
function withCaptions(elementary: Buffer): Buffer {
  const captions = Buffer.from('000001b2474139340341fffc942cff', 'hex');
  const firstSlice = Buffer.from('00000101', 'hex');
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = elementary.indexOf(firstSlice); at !== -1; at = elementary.indexOf(firstSlice, at + 4)) {
    pieces.push(elementary.subarray(from, at), captions);
    from = at;
  }
  return Buffer.concat([...pieces, elementary.subarray(from)]);
}

test('does not deny the closed captions that the pictures of a package keep from their source', async () => {
  const film = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=1', '-c:v', 'mpeg2video', '-bf', '0'];
  const plain = await readFile(await make('plain.m2v', ...film));
  await writeFile(file('captions.m2v'), withCaptions(plain));
  const denied: boolean[] = [];
  for (const name of ['plain', 'captions']) {
    // The elementary stream has no times.
    await make(`${name}.ts`, '-i', file(`${name}.m2v`), '-c', 'copy', '-bsf:v', 'setts=ts=N/25/TB');
    await makePackageOf(service, `${name}.ts`, { package: ['hls'], video: { speed: 'fast' } }, name);
    denied.push((await readFile(file(`out/${name}/master.m3u8`), 'utf8')).includes('CLOSED-CAPTIONS=NONE'));
  }
  expect(denied).toEqual([true, false]);
});
