import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useEncodes } from '../../../support/encodes.ts';
import { clapFilm, clicksOf, flashesOf, quickH264 } from '../../../support/films.ts';
import { words } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';
import { cuesOf } from '../subtitles/subtitle-tracks.ts';

const service = await useEncodes();
const { encoded, file, make, outputFile } = service;

const container = 'mkv';
const video = { codec: 'h264', speed: 'fast' } as const;
const poster = (at: number) => ({ image: 'poster', at, imageFormat: 'png' }) as const;

const isWhite = async (path: string): Promise<boolean> => (await flashesOf(path)).length === 1;

/** Makes a film of which plain ffmpeg has dropped the first key frame. */
async function makeWithoutFirstKey(name: string): Promise<void> {
  await make(`whole-${name}`, ...clapFilm(4), ...quickH264, '-g', '25', '-c:a', 'flac');
  await make(name, '-i', file(`whole-${name}`), '-c', 'copy', '-bsf:v', "noise=drop='eq(n\\,0)'");
}

/** A film and tracks of its sound, each late by some seconds. */
const apart = (pictures: number, ...sounds: number[]): string[] => [
  ...[pictures, ...sounds].flatMap((seconds) => ['-itsoffset', String(seconds), '-i', file('claps.mkv')]),
  ...['-map', '0:v', ...sounds.flatMap((_, index) => ['-map', `${index + 1}:a`]), ...quickH264, '-c:a', 'flac'],
];

test.each<[string, string, (name: string) => Promise<unknown>]>(
  rowsExcept(
    ['whose sound starts before its pictures', 'with a second track that starts first'],
    [
      ['that does not start with a key frame', 'cut.mkv', async (name) => await makeWithoutFirstKey(name)],
      ['whose sound starts before its pictures', 'early.mkv', async (name) => await make(name, ...apart(0.11, 0))],
      ['with a second track that starts first', 'tracks.mkv', async (name) => await make(name, ...apart(0.7, 0.3, 0))],
    ],
  ),
)('all outputs of a film %s have one clock', async (_, source, prepare) => {
  await make('claps.mkv', ...clapFilm(3), '-c:v', 'ffv1', '-c:a', 'flac');
  await prepare(source);
  await encoded(source, [{ container, video }]);
  const [first = 0, second = 0] = await flashesOf(outputFile(source));
  const [heard = 0] = await clicksOf(outputFile(source));
  const made = [
    { container, video, audio: false },
    { container, video: { ...video, fps: 50 } },
    { container, video, trim: { start: first - 0.2 } },
    ...[first - 0.01, first + 0.001, first + 0.05, second + 0.01].map(poster),
    { format: 'wav' },
  ] as const;
  await encoded(source, made);
  const [silent = [], quick = [], cut = []] = await Promise.all(
    [0, 1, 2].map(async (index) => await flashesOf(outputFile(source, index))),
  );
  expect(silent[0]).toBeCloseTo(first, 2);
  expect(quick[0]).toBeCloseTo(first, 2);
  expect(cut[0]).toBeCloseTo(0.2, 1);
  const posters = await Promise.all([3, 4, 5, 6].map(async (index) => await isWhite(outputFile(source, index))));
  expect(posters).toEqual([false, true, false, true]);
  const [click = 0] = await clicksOf(outputFile(source, 7));
  expect(Math.abs(click - heard)).toBeLessThan(0.001);
});

const slowPictures = ['-f', 'lavfi', '-i', 'color=black:s=160x90:r=1:d=3'];

test.each<[string, string, () => Promise<unknown>]>([
  [
    'of one picture per second, after the delay of AAC in Matroska',
    'slow.mkv',
    async () => await make('slow.mkv', ...slowPictures, '-i', file('claps.mkv'), ...words('-map 0 -map 1:a -c:a aac')),
  ],
  [
    'whose first pictures, before the sound, cannot be decoded',
    'undecodable.mkv',
    async () => {
      await make('late.mkv', ...apart(0, 0.3), '-g', '25');
      await make('undecodable.mkv', '-i', file('late.mkv'), '-c', 'copy', '-bsf:v', "noise=drop='eq(n\\,0)'");
    },
  ],
])('texts on the clock of the sound alone are in step with the sound of a film %s', async (_, source, prepare) => {
  await make('claps.mkv', ...clapFilm(3), '-c:v', 'ffv1', '-c:a', 'flac');
  await prepare();
  await encoded(source, [{ format: 'wav' }]);
  const [alone = 0] = await clicksOf(outputFile(source));
  const time = (seconds: number): string => `00:${seconds.toFixed(3).padStart(6, '0')}`;
  await writeFile(file('click.vtt'), `WEBVTT\n\n${time(alone)} --> ${time(alone + 0.5)}\nclick\n`);
  const text = { url: service.container.fileUrl('click.vtt'), clock: 'sound' as const };
  const film = { container, video, subtitles: { add: [text] } };
  await encoded(source, [film, { ...film, trim: { start: 0.4 } }, { ...film, video: { copy: true } }]);
  for (const index of [0, 1, 2]) {
    const [click = 0] = await clicksOf(outputFile(source, index));
    const [cue] = await cuesOf(outputFile(source, index));
    expect(Math.abs((cue?.from ?? 0) - 1000 * click), `output ${index}`).toBeLessThan(3);
  }
});
