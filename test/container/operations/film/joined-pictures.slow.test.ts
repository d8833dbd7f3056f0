import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useEncodes } from '../../../support/encodes.ts';
import {
  clapFilm,
  clicksOf,
  flashesOf,
  motion,
  pictureHashes,
  picturePackets,
  quickH264,
} from '../../../support/films.ts';
import { words } from '../../../support/media-files.ts';
import { matrixTest, rowsExcept } from '../../../support/rows.ts';

// Broadcast recordings that were concatenated: each restarts the clock.

const service = await useEncodes();
const { encode, encoded, make, outputFile } = service;

const output = { container: 'mp4', video: { codec: 'h264', speed: 'fast', crf: 1 } } as const;
// Packets of this codec have no delay, so that pictures and sound of a recording begin together.
const exactSound = ['-c:a', 's302m', '-ac', '2', '-strict', '-2'];

async function join(name: string, ...parts: string[]): Promise<void> {
  await writeFile(service.file(name), Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
}

test('joins transport streams with all their pictures, in step with their sound', async () => {
  const first = await make('first.ts', ...clapFilm(2), ...quickH264, ...exactSound);
  const second = await make('second.ts', ...clapFilm(3), ...quickH264, ...exactSound);
  await join('joined.ts', first, second, first);
  const answer = await encode('joined.ts', [output, { ...output, audio: false }]);
  expect(answer.body).toMatchObject({ success: true, outputs: [{}, { streams: [{ frames: 175 }] }] });
  const [film, silent] = [outputFile('joined.ts', 0), outputFile('joined.ts', 1)];
  const claps = [0, 1, 2, 3, 4, 5, 6].map((second) => second + 0.48);
  expect(await flashesOf(silent)).toEqual(claps);
  expect((await picturePackets(silent)).at(-1)?.time).toBe(6.96);
  // The last packet of sound may be some ms shorter than the pictures.
  const [flashes, clicks] = [await flashesOf(film), await clicksOf(film)];
  expect(flashes).toHaveLength(7);
  expect(clicks).toEqual(flashes.map((flash) => expect.closeTo(flash, 2)));
});

matrixTest('keeps the pictures of each joined recording', async () => {
  const first = await make('moving.ts', ...motion(1), ...quickH264);
  await join('twice.ts', first, first);
  const lossless = { container: 'mkv', video: { codec: 'ffv1' } } as const;
  await encoded('twice.ts', [lossless]);
  const alone = await pictureHashes(first);
  expect(alone).toHaveLength(25);
  expect(await pictureHashes(outputFile('twice.ts'))).toEqual([...alone, ...alone]);
});

test('places a recording that continues another, though its first pictures decode before the last ones of the other', async () => {
  const clock = ['-muxdelay', '0', '-muxpreload', '0', '-output_ts_offset', '10'];
  const first = await make(
    'begun.ts',
    ...clapFilm(2),
    ...quickH264,
    ...words('-bf 0 -tune zerolatency'),
    ...exactSound,
    ...clock,
  );
  const later = ['-vf', 'setpts=PTS+2/TB', '-af', 'asetpts=PTS+2/TB'];
  const second = await make('continued.ts', ...clapFilm(2), ...later, ...quickH264, ...exactSound, ...clock);
  await join('contiguous.ts', first, second);
  const copy = { container: 'mp4', video: { copy: true } } as const;
  const lossless = { container: 'mkv', video: { codec: 'ffv1' } } as const;
  const answer = await encode('contiguous.ts', [lossless, copy]);
  expect(answer.body).toMatchObject({ success: true, outputs: [{}, { streams: [{ frames: 100, copied: true }, {}] }] });
  for (const index of [0, 1]) {
    const film = outputFile('contiguous.ts', index);
    expect(await pictureHashes(film)).toEqual([...(await pictureHashes(first)), ...(await pictureHashes(second))]);
    expect((await picturePackets(film)).map(({ time }) => Math.round(time * 25e3) / 1e3)).toEqual([
      ...Array(100).keys(),
    ]);
    expect(await flashesOf(film)).toEqual([0.48, 1.48, 2.48, 3.48]);
    expect(await clicksOf(film)).toEqual([0.48, 1.48, 2.48, 3.48].map((clap) => expect.closeTo(clap, 2)));
  }
});

/** Seconds. Matroska counts milliseconds, and a click is found at its first loud sample. */
const mostApart = 0.0015;

/** Recordings with a sound of their own, which ends before or after their pictures. */
const aac = (...sound: string[]): string[] => [...quickH264, '-c:a', 'aac', ...sound];

test.each<[string, number, string[][]]>(
  rowsExcept(
    ['of equal shape', 'that start at other times'],
    [
      [
        'of equal shape',
        7,
        [
          [...clapFilm(2.1), ...aac()],
          [...clapFilm(3), ...aac()],
          [...clapFilm(2), ...aac()],
        ],
      ],
      [
        'of other sample rates',
        5,
        [
          [...clapFilm(2), ...aac()],
          [...clapFilm(3), ...aac('-ar', '32000')],
        ],
      ],
      [
        'of other frame rates',
        5,
        [
          [...clapFilm(2), ...aac()],
          [...clapFilm(3), ...aac('-r', '50')],
        ],
      ],
      [
        'that start at other times',
        5,
        [
          [...clapFilm(2), ...aac(), '-output_ts_offset', '95440'],
          [...clapFilm(3), ...aac()],
        ],
      ],
      [
        'whose sound ends early',
        6,
        [
          [...clapFilm(3), ...aac('-af', 'atrim=end=1.7')],
          [...clapFilm(3), ...aac()],
        ],
      ],
    ],
  ),
)('keeps every picture of recordings %s (%i s), in step with their sound', async (title, seconds, recordings) => {
  const name = `${title.replaceAll(' ', '-')}.ts`;
  const parts: string[] = [];
  for (const [index, args] of recordings.entries()) parts.push(await make(`${index}-${name}`, ...args));
  await join(name, ...parts);
  await encoded(name, [{ container: 'mkv', video: { codec: 'ffv1' }, audio: { codec: 'flac' } }, { format: 'wav' }]);
  const film = outputFile(name, 0);
  const alone = await Promise.all(parts.map(async (part) => await pictureHashes(part)));
  expect(await pictureHashes(film)).toEqual(alone.flat());
  const [flashes, clicks] = [await flashesOf(film), await clicksOf(film)];
  expect(flashes).toHaveLength(seconds);
  // A part whose sound ends early has fewer clicks.
  const apart = clicks.map((click) => Math.min(...flashes.map((flash) => Math.abs(flash - click))));
  expect(Math.max(...apart)).toBeLessThan(mostApart);
  // All outputs of a job have one clock.
  expect(await clicksOf(outputFile(name, 1))).toEqual(clicks.map((click) => expect.closeTo(click, 2)));
});

test('accepts a join that a gap follows', async () => {
  const first = await make('first.ts', ...clapFilm(2), ...quickH264, ...exactSound);
  const later = await make('later.ts', ...clapFilm(2), ...quickH264, ...exactSound, '-output_ts_offset', '5');
  await join('gap.ts', first, first, later);
  await encoded('gap.ts', [output]);
  // The muxer moves a recording that starts at zero by two pictures, so that no packet is decoded before zero.
  const claps = [0.48, 1.48, 2.48, 3.48, 7.4, 8.4];
  expect(await flashesOf(outputFile('gap.ts'))).toEqual(claps.map((clap) => expect.closeTo(clap, 3)));
  expect(await clicksOf(outputFile('gap.ts'))).toEqual(claps.map((clap) => expect.closeTo(clap, 2)));
});

test('rejects joined program streams', async () => {
  const first = await make('first.mpg', ...motion(1), '-c:v', 'mpeg2video', '-q:v', '2');
  await join('joined.mpg', first, first);
  expect((await encode('joined.mpg', [output])).body).toMatchObject({
    code: 'unsupported_format',
    error: expect.stringContaining('several concatenated recordings'),
  });
  await service.expectNothingUploaded('joined.mpg');
});
