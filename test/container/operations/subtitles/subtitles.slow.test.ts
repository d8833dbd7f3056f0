import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run, testEnvironment } from '../../../support/process.ts';
import { pixelsOf, words } from '../../../support/media-files.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { motion, quickH264, tone } from '../../../support/films.ts';
import { cuesOf, subtitleTracksOf } from './subtitle-tracks.ts';

const service = await useEncodes();
const { encode, encoded, make, file, outputFile } = service;

const quick = { codec: 'h264', speed: 'fast', crf: 30 } as const;

const subRip = `1
00:00:00,500 --> 00:00:01,001
Hello <i>there</i>, AT&T: 3 < 5

2
00:00:00,900 --> 00:00:01,503
שלום مرحبا 字幕 😀
second line

3
00:00:02,200 --> 00:00:09,000
to the end and beyond
`;

const ass = `[Script Info]
ScriptType: v4.00+
PlayResX: 160
PlayResY: 90

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Alignment
Style: Top,Nowhere Sans,12,&H0000FF,8

[Fonts]
fontname: evil.ttf
!!!!

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:02.00,Top,,0,0,0,,{\\b1}Bold{\\b0} and\\Nplain
Dialogue: 1,0:00:01.50,0:00:01.90,Top,,0,0,0,,{\\p1}m 0 0 l 10 0 10 10 0 10{\\p0}
`;

/** A film of three seconds whose clock begins at one, with subtitles in three formats. */
async function makeFilm(name: string): Promise<string> {
  await writeFile(file('s.srt'), subRip);
  await writeFile(file('s.ass'), ass);
  return await make(
    name,
    ...motion(3),
    ...tone(3),
    ...['-i', file('s.srt'), '-i', file('s.ass')],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-map', '2'],
    ...quickH264,
    ...['-c:a', 'flac', '-c:s:0', 'subrip', '-c:s:1', 'ass', '-c:s:2', 'webvtt'],
    ...['-metadata:s:s:0', 'language=deu', '-metadata:s:s:0', 'title=Für alle', '-disposition:s:0', 'default'],
    ...['-metadata:s:s:1', 'language=eng', '-disposition:s:1', 'forced', '-disposition:s:2', '0'],
    ...['-output_ts_offset', '1'],
  );
}

const hello = { from: 500, to: 1001, text: 'Hello <i>there</i>, AT&T: 3 < 5' };
const scripts = { from: 900, to: 1503, text: 'שלום مرحبا 字幕 😀\nsecond line' };
const end = { from: 2200, to: 3000, text: 'to the end and beyond' };

test('keeps subtitles and their metadata in every container, in step with the pictures', async () => {
  await makeFilm('film.mkv');
  const asked = { subtitles: 'keep' } as const;
  const answer = await encode('film.mkv', [
    { container: 'mkv', video: quick, ...asked },
    { container: 'mp4', video: quick, ...asked },
    { container: 'mov', video: quick, ...asked, audio: false },
    { container: 'webm', video: { codec: 'vp9', speed: 'fast', crf: 50 }, ...asked },
    { container: 'mkv', video: { copy: true }, ...asked },
    { container: 'mp4', video: quick, ...asked, trim: { start: 1, end: 2.5 } },
    { container: 'mp4', video: quick },
  ]);
  expect((answer.body as { error?: string }).error).toBeUndefined();
  const [mkv, mp4, mov, webm, copy, part, none] = [0, 1, 2, 3, 4, 5, 6].map((index) => outputFile('film.mkv', index));
  for (const path of [mkv ?? '', copy ?? '']) {
    expect(await subtitleTracksOf(path)).toEqual([
      { codec: 'subrip', language: 'deu', title: 'Für alle', isDefault: true, isForced: false },
      { codec: 'ass', language: 'eng', title: undefined, isDefault: false, isForced: true },
      { codec: 'subrip', language: undefined, title: undefined, isDefault: false, isForced: false },
    ]);
    expect(await cuesOf(path)).toEqual([hello, scripts, end]);
    expect(await cuesOf(path, 1)).toMatchObject([
      { from: 1000, to: 2000 },
      { from: 1500, to: 1900 },
    ]);
  }
  expect(await subtitleTracksOf(webm ?? '')).toMatchObject([
    { codec: 'webvtt', language: 'deu', title: 'Für alle', isDefault: true },
    { codec: 'webvtt', language: 'eng', isForced: true },
    { codec: 'webvtt' },
  ]);
  expect(await cuesOf(webm ?? '')).toEqual([hello, scripts, end]);
  // mov_text joins overlapping cues.
  const flat = [
    { ...hello, to: 900 },
    { from: 900, to: 1001, text: `${hello.text}\n${scripts.text}` },
    { ...scripts, from: 1001 },
    end,
  ];
  for (const path of [mp4 ?? '', mov ?? '']) {
    expect(await subtitleTracksOf(path)).toMatchObject([
      { codec: 'mov_text', language: path === mov ? 'ger' : 'deu', title: 'Für alle', isDefault: true },
      { codec: 'mov_text', language: 'eng', isDefault: false },
      { codec: 'mov_text', isDefault: false },
    ]);
    expect(await cuesOf(path)).toEqual(flat);
    expect(await cuesOf(path, 1)).toEqual([{ from: 1000, to: 2000, text: '<b>Bold</b> and\nplain' }]);
  }
  expect(await cuesOf(part ?? '')).toEqual([
    { from: 0, to: 1, text: `${hello.text}\n${scripts.text}` },
    { ...scripts, from: 1, to: 503 },
    { ...end, from: 1200, to: 1520 },
  ]);
  expect(await subtitleTracksOf(none ?? '')).toEqual([]);
  const { outputs } = answer.body as { outputs: { subtitles?: unknown; streams: { kind: string; copied?: true }[] }[] };
  expect(outputs[0]?.subtitles).toEqual({
    tracks: [
      { codec: 'subrip', language: 'deu', title: 'Für alle', isDefault: true, isForced: false, cues: 3 },
      { codec: 'ass', language: 'eng', isDefault: false, isForced: true, cues: 2 },
      { codec: 'subrip', isDefault: false, isForced: false, cues: 3 },
    ],
  });
  expect(outputs[4]?.streams[0]).toMatchObject({ kind: 'video', copied: true });
  expect(outputs[6]?.subtitles).toBeUndefined();
});

const framePixels = 160 * 90;

/** Number of pixels that differ by more than encoders cause, at two times of films of 25 pictures a second. */
function difference(one: Buffer, at: number, other: Buffer, otherAt = at): number {
  const pictureAt = (film: Buffer, seconds: number): Buffer => {
    const from = Math.round(seconds * 25) * framePixels;
    expect(film.length).toBeGreaterThanOrEqual(from + framePixels);
    return film.subarray(from, from + framePixels);
  };
  const second = pictureAt(other, otherAt);
  return pictureAt(one, at).filter((value, index) => Math.abs(value - (second[index] ?? 0)) > 24).length;
}

/** Draws with plain ffmpeg, in the same fonts. */
async function plainly(name: string, filter: string, source: string): Promise<string> {
  const fonts = fileURLToPath(new URL('../../../../engine/ffmpeg/fonts.conf', import.meta.url));
  const args = [...words('-nostdin -v error -y -i'), source, '-vf', filter, ...words('-c:v libx264 -qp 4 -an -sn')];
  const { code, output } = await run('ffmpeg', [...args, file(name)], {
    environment: { ...testEnvironment(), FONTCONFIG_FILE: fonts },
  });
  if (code !== 0) throw new Error(output);
  return file(name);
}

test('draws subtitles over the pictures where and when plain ffmpeg draws them', async () => {
  await makeFilm('burn.mkv');
  await writeFile(file('own.srt'), subRip.replaceAll('字幕 ', ''));
  await writeFile(file('utf16.srt'), Buffer.from(`\ufeff${subRip.replaceAll('字幕 ', '')}`, 'utf16le'));
  const video = { codec: 'h264', speed: 'fast', crf: 4, width: 320, height: 180 } as const;
  const url = (name: string): string => service.container.fileUrl(name);
  const answer = await encode('burn.mkv', [
    { container: 'mp4', video: { ...video, width: 160, height: 90 }, subtitles: { keep: true, burn: 1 } },
    { container: 'mp4', video: { ...video, width: 160, height: 90 }, subtitles: { burn: { url: url('utf16.srt') } } },
    {
      container: 'mkv',
      video: { ...video, width: 160, height: 90, pixelFormat: 'yuv420p10le', fps: 25 },
      subtitles: { burn: { url: url('own.srt') } },
      trim: { start: 1 },
      fade: { in: 0.1 },
    },
    { container: 'mp4', video: { copy: true }, subtitles: { burn: 'eng' } },
    { container: 'mp4', video: { ...video, width: 160, height: 90 } },
  ]);
  expect((answer.body as { error?: string }).error).toBeUndefined();
  const { outputs } = answer.body as { outputs: { subtitles: object; streams: { notCopied?: string }[] }[] };
  expect(outputs[0]?.subtitles).toMatchObject({ tracks: [{ language: 'deu' }, {}], burnt: { cues: 2 } });
  expect(outputs[1]?.subtitles).toEqual({ tracks: [], burnt: { cues: 3 } });
  expect(outputs[3]?.streams[0]?.notCopied).toBe('subtitles are drawn over its pictures');
  const clean = outputFile('burn.mkv', 4);
  const script = await plainly('plain-ass.mp4', `ass=${file('s.ass')}`, clean);
  await make('own.ass', '-i', file('own.srt'));
  const text = await plainly('plain-srt.mp4', `ass=${file('own.ass')}`, clean);
  const [ofScript, ofText, ofPart, cleanly, plainScript, plainText] = (await Promise.all(
    [0, 1, 2]
      .map((index) => outputFile('burn.mkv', index))
      .concat(clean, script, text)
      .map((path) => pixelsOf(path, 'gray')),
  )) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
  for (const at of [0.96, 1.04, 1.6, 1.96, 2.04]) expect(difference(ofScript, at, plainScript), `at ${at}`).toBe(0);
  for (const at of [0.48, 0.52, 0.96, 1.48, 1.52, 2.16, 2.2, 2.96]) {
    expect(difference(ofText, at, plainText), `at ${at}`).toBe(0);
  }
  // A trim shows the cues at their new times.
  for (const at of [1.16, 1.24, 1.4]) expect(difference(ofPart, at, plainText, at + 1), `at ${at}`).toBe(0);
  // Subtitles are visible, and only at their times.
  expect(difference(ofScript, 1.2, cleanly)).toBeGreaterThan(50);
  expect(difference(ofScript, 2.2, cleanly)).toBe(0);
  expect(difference(ofText, 2.4, cleanly)).toBeGreaterThan(50);
});

test('rejects subtitles that cannot be kept, drawn or read before it encodes', async () => {
  await makeFilm('refused.mkv');
  const url = (name: string): string => service.container.fileUrl(name);
  const latin = subRip.replace('Hello', 'Grüße').replace('שלום مرحبا 字幕 😀', 'plain');
  await writeFile(file('latin.srt'), Buffer.from(latin, 'latin1'));
  await writeFile(file('noise.srt'), 'nothing of the kind');
  await writeFile(file('empty.vtt'), 'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<b></b>\n');
  await writeFile(file('late.srt'), '1\n01:00:00,000 --> 01:00:01,000\nlate\n');
  await writeFile(file('list.srt'), '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n');
  await writeFile(file('grin.srt'), '1\n00:00:00,000 --> 00:00:01,000\nfine 𝟜 \u{1FAE0}\n');
  const video = quick;
  for (const [subtitles, status, words] of [
    [{ keep: [7] }, 422, 'the source has no subtitles 7; it has 0 (deu), 1 (eng), 2'],
    [{ burn: 'fra' }, 422, 'the source has no subtitles fra; it has 0 (deu), 1 (eng), 2'],
    [{ burn: 0 }, 422, "its subtitles have letters that Holdfast's fonts lack: 字 幕; keep them as a track"],
    [{ add: [{ url: url('latin.srt') }] }, 400, 'it is not encoded in UTF-8; save it as UTF-8'],
    [{ add: [{ url: url('noise.srt') }] }, 400, 'it is neither SubRip'],
    [{ add: [{ url: url('list.srt') }] }, 400, 'it is neither SubRip'],
    [{ burn: { url: url('empty.vtt') } }, 400, 'it has no text with a duration'],
    [{ add: [{ url: url('late.srt') }] }, 422, 'their times are all outside of it'],
    [{ add: [{ url: url('missing.srt') }] }, 404, 'The subtitles could not be fetched.'],
  ] as const) {
    const answer = await encode('refused.mkv', [{ container: 'mp4', video, subtitles: subtitles as never }]);
    expect([answer.status, (answer.body as { error: string }).error]).toEqual([status, expect.stringContaining(words)]);
  }
  const inFragments = await encode('refused.mkv', [{ container: 'mp4', video, subtitles: 'keep', fragmented: true }]);
  expect((inFragments.body as { error: string }).error).toContain('a fragmented file cannot hold subtitle tracks');
  await service.expectNothingUploaded('refused.mkv');
  const answer = await encode('refused.mkv', [
    {
      container: 'mkv',
      video,
      subtitles: {
        add: [{ url: url('latin.srt'), encoding: 'iso-8859-1', default: true, title: 'A', language: 'fra' }],
        keep: [0],
      },
    },
    { container: 'mp4', video, subtitles: { burn: { url: url('grin.srt') } } },
    { container: 'mp4', video, subtitles: { burn: 1 }, fragmented: true },
    { container: 'mp4', video, subtitles: { add: [{ url: url('late.srt') }] }, trim: { end: 1 } },
  ]);
  expect((answer.body as { error?: string }).error).toBeUndefined();
  const own = outputFile('refused.mkv', 0);
  expect(await subtitleTracksOf(own)).toMatchObject([
    { language: 'deu', isDefault: false },
    { language: 'fra', title: 'A', isDefault: true },
  ]);
  expect((await cuesOf(own, 1))[0]).toEqual({ ...hello, text: hello.text.replace('Hello', 'Grüße') });
  const { outputs } = answer.body as { outputs: { subtitles: object }[] };
  expect(outputs[1]?.subtitles).toEqual({ tracks: [], burnt: { cues: 1, undrawn: '\u{1FAE0}' } });
  expect(outputs[2]?.subtitles).toEqual({ tracks: [], burnt: { cues: 2 } });
  expect(outputs[3]?.subtitles).toEqual({ tracks: [] });
  expect(await subtitleTracksOf(outputFile('refused.mkv', 3))).toEqual([]);
});

test('keeps a script in a cut that ends within the hundredth of a second in which a text begins', async () => {
  const event = (from: string, to: string): string => `Dialogue: 0,0:00:0${from},0:00:0${to},Top,,0,0,0,,text\n`;
  await writeFile(file('next.ass'), ass.replace(/Dialogue[^]*/, event('0.50', '2.00') + event('2.00', '3.00')));
  const film = [...motion(3, '24000/1001'), '-i', file('next.ass'), '-map', '0', '-map', '1'];
  await make('next.mkv', ...film, ...quickH264, '-c:s', 'ass');
  // The last picture ends at 2.002 s.
  await encoded('next.mkv', [{ container: 'mkv', video: quick, subtitles: 'keep', trim: { end: 2 } }]);
  expect(await cuesOf(outputFile('next.mkv'))).toMatchObject([{ from: 500, to: 2000 }]);
});
