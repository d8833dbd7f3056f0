import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { makePgs } from '../../../support/pgs.ts';
import { pixelsOf, probe } from '../../../support/media-files.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { motion, quickH264, tone } from '../../../support/films.ts';
import { subtitleTracksOf } from './subtitle-tracks.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, file, make, outputFile } = service;

const canvas = { width: 320, height: 180 };
const white = [235, 128, 128, 255] as const;

/** Subtitles that begin between pictures and at a picture, are half transparent, and outlast the film. */
const shown = [
  { from: 0.5, to: 1.02, x: 40, y: 130, width: 240, height: 30, colour: white },
  { from: 1.52, to: 2, x: 100, y: 20, width: 120, height: 40, colour: [180, 200, 60, 128] },
  { from: 2.4, to: 9, x: 10, y: 60, width: 50, height: 30, colour: white },
] as const;

/** A film of three seconds whose clock begins at one, with the same subtitles in the formats of Blu-ray, DVD and DVB. */
async function makeFilm(): Promise<void> {
  await writeFile(file('s.sup'), makePgs(shown, canvas));
  // DVD subtitles declare their duration.
  await make(
    'others.mkv',
    ...['-fix_sub_duration', '-i', file('s.sup'), '-map', '0', '-map', '0'],
    ...['-c:s:0', 'dvdsub', '-c:s:1', 'dvbsub'],
  );
  await make(
    'film.mkv',
    ...[...motion(3, '25', '320x180'), ...tone(3), '-i', file('s.sup'), '-i', file('others.mkv')],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', ...quickH264, '-c:a', 'flac', '-c:s', 'copy'],
    ...['-metadata:s:s:0', 'language=deu', '-metadata:s:s:0', 'title=Für alle', '-disposition:s:0', 'default'],
    ...['-metadata:s:s:1', 'language=eng', '-disposition:s:1', 'forced', '-metadata:s:s:2', 'language=fra'],
    ...['-output_ts_offset', '1'],
  );
}

beforeAll(makeFilm);

interface ReadPacket {
  ms: number;
  hash: string;
}

async function packetsOf(path: string, track: number): Promise<ReadPacket[]> {
  const args = ['-select_streams', `s:${track}`, '-show_packets', '-show_data_hash', 'MD5'];
  const { packets } = (await probe(path, ...args)) as { packets: { pts_time: string; data_hash: string }[] };
  return packets.map(({ pts_time, data_hash }) => ({ ms: Math.round(Number(pts_time) * 1000), hash: data_hash }));
}

/** Packets within a part, on the clock of the part. */
function within(packets: readonly ReadPacket[], fromMs: number, toMs: number): ReadPacket[] {
  return packets.filter(({ ms }) => ms >= fromMs && ms < toMs).map((packet) => ({ ...packet, ms: packet.ms - fromMs }));
}

test('keeps picture subtitles in an mkv to the last bit and in step, and leaves them out elsewhere', async () => {
  const quick = { codec: 'h264', speed: 'fast', crf: 30 } as const;
  const answer = await encode('film.mkv', [
    { container: 'mkv', video: quick, subtitles: 'keep' },
    { container: 'mkv', video: { copy: true }, subtitles: 'keep' },
    { container: 'mkv', video: quick, subtitles: { keep: ['deu', 'eng'] }, trim: { start: 0.8, end: 2.6 } },
    { container: 'mp4', video: quick, subtitles: 'keep' },
    {
      container: 'mkv',
      video: { ...quick, bitrate: 200, crf: undefined },
      subtitles: { keep: [2] },
      trim: { end: 0.4 },
    },
  ]);
  expect((answer.body as { error?: string }).error).toBeUndefined();
  const { outputs } = answer.body as { outputs: { subtitles: object }[] };
  const source = await Promise.all([0, 1, 2].map((track) => packetsOf(file('film.mkv'), track)));
  for (const index of [0, 1]) {
    const path = outputFile('film.mkv', index);
    expect(await subtitleTracksOf(path)).toEqual([
      { codec: 'hdmv_pgs_subtitle', language: 'deu', title: 'Für alle', isDefault: true, isForced: false },
      { codec: 'dvd_subtitle', language: 'eng', title: undefined, isDefault: false, isForced: true },
      { codec: 'dvb_subtitle', language: 'fra', title: undefined, isDefault: false, isForced: false },
    ]);
    for (const [track, packets] of source.entries()) {
      expect(await packetsOf(path, track), `${index}, ${track}`).toEqual(within(packets, 1000, 4000));
    }
  }
  expect(outputs[0]?.subtitles).toEqual({
    tracks: [
      { codec: 'hdmv_pgs_subtitle', language: 'deu', title: 'Für alle', isDefault: true, isForced: false },
      { codec: 'dvd_subtitle', language: 'eng', isDefault: false, isForced: true },
      { codec: 'dvb_subtitle', language: 'fra', isDefault: false, isForced: false },
    ],
  });
  // A subtitle that is visible when the part begins is shown from its start.
  const [pgs = [], dvd = []] = source;
  const cut = outputFile('film.mkv', 2);
  expect(await packetsOf(cut, 0)).toEqual([{ ...pgs[1], ms: 0 }, ...within(pgs, 1800, 3600)]);
  expect(await packetsOf(cut, 1)).toEqual([{ ...dvd[0], ms: 0 }, ...within(dvd, 1800, 3600)]);
  const { format } = (await probe(cut, '-show_format')) as { format: { duration: string } };
  expect(Number(format.duration)).toBeCloseTo(1.8, 1);
  const reason = 'they are pictures, and only an mkv keeps those of discs and broadcasts';
  expect(outputs[3]?.subtitles).toEqual({
    tracks: [],
    left: [
      { track: 0, codec: 'hdmv_pgs_subtitle', reason },
      { track: 1, codec: 'dvd_subtitle', reason },
      { track: 2, codec: 'dvb_subtitle', reason },
    ],
  });
});

/** Number of pixels that differ between two pictures. */
function difference(one: Buffer, other: Buffer, seconds: number, tolerance: number, otherSeconds = seconds): number {
  const pixels = canvas.width * canvas.height;
  const pictureAt = (film: Buffer, at: number): Buffer =>
    film.subarray(Math.round(at * 25) * pixels).subarray(0, pixels);
  const [first, second] = [pictureAt(one, seconds), pictureAt(other, otherSeconds)];
  expect([first.length, second.length]).toEqual([pixels, pixels]);
  return first.filter((value, index) => Math.abs(value - (second[index] ?? 0)) > tolerance).length;
}

test('keeps the times of picture subtitles when the clock of a broadcast wraps', async () => {
  // The 33-bit clock wraps 3 s after the first picture, so that ffmpeg counts from -3; its muxer adds 1.4 s.
  const clock = ['-output_ts_offset', String(2 ** 33 / 90_000 - 4.4)];
  const broadcast = ['-i', file('others.mkv'), '-map', '0', '-map', '1:s:1', ...quickH264, '-c:s', 'copy'];
  await make('anew.ts', ...[...motion(4, '25', '320x180'), ...broadcast, ...clock]);
  const video = { codec: 'ffv1' } as const;
  const answer = await encode('anew.ts', [
    { container: 'mkv', video, audio: false, subtitles: 'keep' },
    { container: 'mkv', video, audio: false },
    { container: 'mkv', video, audio: false, subtitles: 'burn' },
  ]);
  expect((answer.body as { error?: string }).error).toBeUndefined();
  const times = (await packetsOf(outputFile('anew.ts', 0), 0)).map(({ ms }) => ms);
  expect(times).toEqual([500, 1020, 1520, 2000, 2400]);
  const [clean, burnt] = await Promise.all([1, 2].map((index) => pixelsOf(outputFile('anew.ts', index), 'gray')));
  const seen = [0.48, 0.52, 1, 1.04, 1.48, 1.52, 1.96, 2, 2.36, 2.4].filter(
    (at) => difference(burnt ?? Buffer.of(), clean ?? Buffer.of(), at, 8) > 0,
  );
  expect(seen).toEqual([0.52, 1, 1.52, 1.96, 2.4]);
});

test('draws picture subtitles where and when plain ffmpeg overlays them', async () => {
  const video = { codec: 'ffv1' } as const;
  const answer = await encode('film.mkv', [
    { container: 'mkv', video, audio: false },
    { container: 'mkv', video, audio: false, subtitles: 'burn' },
    { container: 'mkv', video, audio: false, subtitles: { burn: 'eng' } },
    { container: 'mkv', video, audio: false, subtitles: { keep: true, burn: 'fra' } },
    { container: 'mkv', video, audio: false, subtitles: 'burn', trim: { start: 0.8 } },
    { container: 'mkv', video: { ...video, width: 160 }, audio: false, subtitles: 'burn' },
    { container: 'mkv', video: { ...video, width: 160 }, audio: false },
  ]);
  expect((answer.body as { error?: string }).error).toBeUndefined();
  const { outputs } = answer.body as { outputs: { subtitles: object }[] };
  expect(outputs[1]?.subtitles).toEqual({ tracks: [], burnt: {} });
  expect(outputs[3]?.subtitles).toMatchObject({ tracks: [{ language: 'deu' }, { language: 'eng' }], burnt: {} });
  const clean = outputFile('film.mkv', 0);
  const cleanly = await pixelsOf(clean, 'gray');
  // One run of plain ffmpeg makes all three.
  const graph = [0, 1, 2].map(
    (track) =>
      `[1:s:${track}]scale=out_color_matrix=bt601:out_range=tv,format=yuva420p[s${track}];[0:v][s${track}]overlay=format=yuv420[v${track}]`,
  );
  const maps = [0, 1, 2].flatMap((track) => ['-map', `[v${track}]`]);
  const plain = await make(
    'plain.mkv',
    ...['-copyts', '-i', clean, '-canvas_size', '320x180', '-itsoffset', '-1', '-i', file('film.mkv')],
    ...['-filter_complex', graph.join(';'), ...maps, '-c:v', 'ffv1', '-t', '3'],
  );
  for (const [track, index] of [1, 2, 3].entries()) {
    const ours = await pixelsOf(outputFile('film.mkv', index), 'gray');
    const theirs = await pixelsOf(plain, 'gray', track);
    expect(ours.length, `${index}`).toBe(cleanly.length);
    // Between these times a part of the second subtitle is visible.
    for (const at of [0.52, 0.8, 1, 1.52, 1.96, 2.4, 2.96]) {
      expect(difference(ours, theirs, at, 0), `${index} at ${at}`).toBe(0);
      expect(difference(ours, cleanly, at, 8), `${index} at ${at}`).toBeGreaterThan(1000);
    }
    for (const at of [0, 0.48, 1.04, 1.48, 2, 2.36])
      expect(difference(ours, cleanly, at, 0), `${index} at ${at}`).toBe(0);
  }
  const whole = await pixelsOf(outputFile('film.mkv', 1), 'gray');
  const part = await pixelsOf(outputFile('film.mkv', 4), 'gray');
  for (const at of [0, 0.2, 0.24, 0.68, 0.72, 1.16, 1.2, 1.6, 2.16])
    expect(difference(part, whole, at, 0, at + 0.8), `at ${at}`).toBe(0);
  // At half the size, subtitles are white and the film around them is unchanged.
  const [narrow, narrowly] = await Promise.all([5, 6].map((index) => pixelsOf(outputFile('film.mkv', index), 'gray')));
  const lineOf = (film: Buffer | undefined, y: number): Buffer | undefined =>
    film?.subarray((20 * 90 + y) * 160).subarray(0, 160);
  for (const y of [56, 60, 86]) expect(lineOf(narrow, y)?.equals(lineOf(narrowly, y) ?? Buffer.of())).toBe(true);
  for (const y of [69, 72, 76]) {
    expect(Math.min(...(lineOf(narrow, y)?.subarray(26, 134) ?? []))).toBeGreaterThan(250);
    for (const x of [2, 14, 146]) expect(lineOf(narrow, y)?.[x]).toBe(lineOf(narrowly, y)?.[x]);
  }
});

test('encodes a film despite hostile or undrawable picture subtitles', async () => {
  const video = { codec: 'h264', speed: 'fast', crf: 40 } as const;
  const film = ['-i', file('film.mkv'), '-map', '1:v', '-map', '0', '-c', 'copy'];
  const others = await readFile(file('others.mkv'));
  const patched = (from: string, to: string): Buffer => Buffer.from(others.toString('hex').replaceAll(from, to), 'hex');
  const attacks = {
    canvas: makePgs(shown, { width: 65_535, height: 65_535 }),
    object: makePgs(shown, canvas, { width: 65_535, height: 65_535 }),
    beyond: makePgs([{ ...shown[0], x: 60_000, y: 60_000 }], canvas),
    region: patched('0f1100010010000700f0001e', '0f11000100100007ffffffff'),
    display: patched('0f140001000500013f00b3', '0f140001000500ffffffff'),
    size: patched(Buffer.from('size: 320x180').toString('hex'), Buffer.from('size: 99999x9').toString('hex')),
  };
  for (const [name, bytes] of rowsExcept(['beyond', 'display'], Object.entries(attacks))) {
    await writeFile(file(`${name}.raw`), bytes);
    await make(`${name}.mkv`, '-i', file(`${name}.raw`), ...film);
    const isPgs = bytes.readUInt16BE() === 0x5047;
    const subtitles = { burn: isPgs || name === 'size' ? 0 : 1 };
    const answer = await encode(`${name}.mkv`, [{ container: 'mkv', video, subtitles }]);
    if (name === 'canvas') {
      expect([answer.status, (answer.body as { error: string }).error]).toEqual([
        422,
        expect.stringContaining('damaged'),
      ]);
      continue;
    }
    // The film is whole; undrawable subtitles are missing.
    expect(answer, name).toMatchObject({ status: 200, body: { outputs: [{ streams: [{ frames: 75 }] }] } });
  }
  const prores = { codec: 'prores', pixelFormat: 'yuv444p10le' } as const;
  const refused = await encode('film.mkv', [{ container: 'mov', video: prores, subtitles: 'burn' }]);
  expect([refused.status, (refused.body as { error: string }).error]).toEqual([
    422,
    expect.stringContaining('cannot be drawn over pictures of yuv444p10le'),
  ]);
});
