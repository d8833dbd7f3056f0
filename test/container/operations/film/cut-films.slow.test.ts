import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useEncodes } from '../../../support/encodes.ts';
import { samplesOf } from '../../../support/media-files.ts';
import {
  clapFilm,
  clicksOf,
  flashesOf,
  motion,
  pictureHashes,
  pictureTimes,
  quickH264,
  tone,
} from '../../../support/films.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, encoded, make, outputFile } = service;

const silent = { container: 'mkv', video: { codec: 'ffv1' } } as const;
const lossless = { ...silent, audio: { codec: 'pcm' } } as const;

const grid = (count: number, rate: number): number[] => Array.from({ length: count }, (_, index) => index / rate);
const rounded = (times: readonly number[]): number[] => times.map((time) => Math.round(time * 1000) / 1000);

test.each(
  rowsExcept(
    ['HEVC in mp4'],
    [
      ['mp4 with B-frames and key frames far apart', 'far.mp4', '25', [...quickH264, '-g', '40', '-sc_threshold', '0']],
      [
        'mkv of an open group of pictures',
        'open.mkv',
        '30000/1001',
        [...quickH264, '-x264-params', 'open-gop=1:keyint=12'],
      ],
      [
        'mp4 that is refreshed piece by piece',
        'refresh.mp4',
        '25',
        [...quickH264, '-bf', '0', '-x264-params', 'intra-refresh=1:keyint=20'],
      ],
      ['transport stream, which has no index', 'live.ts', '25', [...quickH264, '-g', '12']],
      [
        'HEVC in mp4',
        'hevc.mp4',
        '24',
        ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:keyint=16:min-keyint=16'],
      ],
    ],
  ),
)('trims an %s to the pictures that begin in the part', async (_, source, rate, codec) => {
  const path = await make(source, ...motion(6, rate), ...codec, '-pix_fmt', 'yuv420p');
  await encoded(source, [{ ...silent, trim: { start: 4.21, end: 5.03 } }]);
  const whole = await pictureHashes(path);
  const [num = 25, den = 1] = rate.split('/').map(Number);
  const [first, last] = [4.21, 5.03].map((seconds) => Math.ceil((seconds * num) / den));
  const cut = outputFile(source);
  expect(await pictureHashes(cut)).toEqual(whole.slice(first, last));
  expect(await pictureTimes(cut)).toEqual(rounded(grid((last ?? 0) - (first ?? 0), num / den)));
});

test('trims picture and sound together, and moves chapters along', async () => {
  await make('clap.mkv', ...clapFilm(8), ...quickH264, '-g', '20', '-sc_threshold', '0', '-c:a', 'pcm_s16le');
  const chapters = [0, 2, 5, 7].map((start) => ({ start, title: `at ${start}` }));
  const trim = { start: 3.3, end: 6.1 };
  const made = await encoded('clap.mkv', [
    { ...lossless, trim },
    { container: 'mp4', video: { codec: 'h264', speed: 'fast' }, audio: { codec: 'aac' }, trim, chapters },
    { container: 'mp4', video: { codec: 'h264', speed: 'fast' }, audio: false, trim: { start: 3.3 }, chapters },
  ]);
  // The first picture after 3.3 s is at 3.32 s; flashes are 0.48 s into each second.
  for (const index of [0, 1]) {
    const path = outputFile('clap.mkv', index);
    const [flashes, clicks] = [await flashesOf(path), await clicksOf(path)];
    expect(flashes).toEqual([0.16, 1.16, 2.16].map((time) => expect.closeTo(time, 6)));
    expect(clicks).toHaveLength(3);
    for (const [place, click] of clicks.entries())
      expect(Math.abs(click - (flashes[place] ?? NaN))).toBeLessThan(0.001);
  }
  expect(made.outputs[0]).toMatchObject({ duration: 2.8 });
  expect((await samplesOf(outputFile('clap.mkv', 0), 48_000)).length).toBe(2.8 * 48_000);
  expect(made.outputs.map(({ chapters: count }) => count)).toEqual([undefined, 2, 3]);
  expect(await flashesOf(outputFile('clap.mkv', 2))).toHaveLength(5);
});

test('keeps the times of a trimmed film of variable rate, and shows a slide from the cut on', async () => {
  const stamps = [0, 0.04, 0.1, 0.14, 0.5, 0.54, 2.5, 2.54, 2.6];
  const stamp = stamps
    .map((time, index) => `eq(N,${index})*${time}`)
    .join('+')
    .replaceAll(',', '\\,');
  const path = await make(
    'slides.mp4',
    ...[...motion(0.36), '-vf', `settb=1/1000,setpts=(${stamp})/TB`],
    ...['-fps_mode', 'vfr', '-enc_time_base', '1/1000', '-video_track_timescale', '1000', ...quickH264],
  );
  await encoded('slides.mp4', [
    { ...silent, trim: { start: 0.05, end: 0.54 } },
    { ...silent, trim: { start: 1, end: 2.55 } },
  ]);
  const whole = await pictureHashes(path);
  const [soon, slide] = [outputFile('slides.mp4', 0), outputFile('slides.mp4', 1)];
  expect(await pictureHashes(soon)).toEqual(whole.slice(2, 5));
  expect(await pictureTimes(soon)).toEqual([0, 0.04, 0.4]);
  expect(await pictureHashes(slide)).toEqual(whole.slice(5, 8));
  expect(await pictureTimes(slide)).toEqual([0, 1.5, 1.54]);
});

test('fades pictures and sound together, as plain ffmpeg fades them', async () => {
  const path = await make('film.mkv', ...motion(3), ...tone(3), ...quickH264, '-c:a', 'pcm_s16le');
  const fade = { in: 0.4, out: 0.6 };
  await encoded('film.mkv', [{ ...lossless, trim: { start: 0.5, end: 2.5 }, fade }]);
  const filter = 'trim=start=0.5:end=2.499,setpts=PTS-STARTPTS,fade=t=in:st=0:d=0.4,fade=t=out:st=1.4:d=0.6';
  // Plain ffmpeg cuts at the picture at 0.52 s.
  const faded = outputFile('film.mkv');
  expect(await pictureHashes(faded)).toEqual(await pictureHashes(path, filter));
  const sound = await samplesOf(faded, 48_000);
  const loudest = (from: number, to: number): number =>
    sound.slice(from * 48_000, to * 48_000).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const full = loudest(0.8, 1.2);
  expect(loudest(0.19, 0.21) / full).toBeCloseTo(0.5, 1);
  expect(loudest(1.69, 1.71) / full).toBeCloseTo(0.5, 1);
  expect(loudest(0, 0.01) / full).toBeLessThan(0.04);
});

test('fades a film of slides in and out', async () => {
  const slides = ['-f', 'lavfi', '-i', 'color=white:s=160x90:r=1:d=12', '-vf', "select='eq(n,0)+gte(n,6)'"];
  await make('two-slides.mp4', ...slides, '-fps_mode', 'passthrough', ...quickH264);
  await encoded('two-slides.mp4', [{ ...silent, fade: { in: 0.5, out: 0.5 } }]);
  const filter = 'fps=4:start_time=0:round=up,scale=1:1:flags=area,format=gray';
  const path = outputFile('two-slides.mp4');
  const levels = await readFile(await make('levels.raw', '-i', path, '-vf', filter, '-f', 'rawvideo'));
  const half = expect.closeTo(128, -1) as number;
  expect([...levels]).toEqual([0, half, ...Array<number>(45).fill(255), half]);
});

test('leaves out sound that ends before the part, and rejects a part after the end of the film', async () => {
  const [pictures, sound] = [clapFilm(3).slice(0, 4), clapFilm(1).slice(4)];
  await make('short-sound.mkv', ...pictures, ...sound, ...quickH264, '-c:a', 'pcm_s16le');
  const { outputs } = await encoded('short-sound.mkv', [{ ...silent, trim: { start: 2 } }]);
  expect(outputs[0]?.streams).toMatchObject([{ kind: 'video', frames: 25 }]);
  for (const [output, reason] of [
    [{ trim: { start: 3 } }, "no picture is left of the source's 3.000 s after its trim from 3 s"],
    [{ fade: { in: 2, out: 2 } }, 'its fades are longer than the 3.000 s that it has'],
    [{ silence: { trimStart: true } }, 'an output with pictures keeps all pauses'],
  ] as const) {
    const answer = await encode('short-sound.mkv', [{ ...silent, audio: false, ...output }]);
    expect(answer.body).toMatchObject({ code: 'unsupported_format', error: expect.stringContaining(reason) });
  }
});
