import fs, { readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { placePictures } from '../../../engine/subtitles/subtitle-pictures.ts';
import type { SubtitlePictures } from '../../../engine/source/subtitle-track.ts';
import { writeSubtitles } from '../../../engine/subtitles/write-subtitles.ts';
import { testFolder } from '../../support/folder.ts';

const packet = (startMs: number, durationMs = 0) => ({ startMs, durationMs, hash: String(startMs) });

function shownIn(
  codec: SubtitlePictures['codec'],
  packets: SubtitlePictures['packets'],
  start: number,
  seconds: number,
) {
  const pictures = { path: '', codec, canvas: undefined, packets };
  return placePictures({ kind: 'pictures', pictures, window: { start, seconds } })?.packets.map(
    ({ startMs, hash }) => `${hash} at ${startMs}`,
  );
}

test('a part of a film has its own packets, and the Blu-ray packet that is visible at its start', () => {
  const packets = [0, 5000, 6000, 9000, 60_000].map((ms) => packet(ms));
  expect(shownIn('hdmv_pgs_subtitle', packets, 5.5, 3.5)).toEqual(['5000 at 0', '6000 at 500']);
  expect(shownIn('hdmv_pgs_subtitle', packets, 5, 4)).toEqual(['5000 at 0', '6000 at 1000']);
  // Nobody reads a subtitle for so long.
  expect(shownIn('hdmv_pgs_subtitle', packets, 40, 10)).toBeUndefined();
  expect(shownIn('hdmv_pgs_subtitle', [], 0, 10)).toBeUndefined();
});

test('a DVD packet is visible at the start of a part if its duration says so', () => {
  const packets = [packet(1000, 2000), packet(4000, 500), packet(9000)];
  expect(shownIn('dvd_subtitle', packets, 2, 3)).toEqual(['1000 at 0', '4000 at 2000']);
  expect(shownIn('dvd_subtitle', packets, 3.5, 3)).toEqual(['4000 at 500']);
  expect(shownIn('dvd_subtitle', packets, 4.6, 3)).toBeUndefined();
  expect(shownIn('dvd_subtitle', packets, 9.5, 3)).toBeUndefined();
});

test.each([undefined, 'ENOSYS', 'EIO'])(
  'gives an output its own file of pictures, if links fail with %s',
  async (code) => {
    const folder = testFolder();
    const path = join(folder, 'pictures');
    await writeFile(path, 'pictures');
    if (code !== undefined) {
      const link = vi.spyOn(fs, 'link').mockRejectedValue(Object.assign(new Error(code), { code, syscall: 'link' }));
      // The named exports of the module follow.
      syncBuiltinESMExports();
      onTestFinished(() => {
        link.mockRestore();
        syncBuiltinESMExports();
      });
    }
    const pictures = { path, codec: 'hdmv_pgs_subtitle', canvas: undefined, packets: [] } as const;
    const content = { kind: 'pictures', pictures, window: { start: 0, seconds: 1 } } as const;
    const marks = { isDefault: false, isForced: false, isForHardOfHearing: false };
    const track = { codec: 'hdmv_pgs_subtitle', content, language: undefined, title: undefined, ...marks } as const;
    const [input] = await writeSubtitles({ tracks: [track] }, join(folder, 'film.mkv'));
    expect(await readFile(input?.path ?? '', 'utf8')).toBe('pictures');
  },
);
