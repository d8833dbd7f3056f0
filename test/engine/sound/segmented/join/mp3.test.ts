import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { joinMp3 } from '../../../../../engine/sound/segmented/join/mp3.ts';
import { music, speech } from '../inputs.ts';
import { inFolder, prepare, singleRun } from '../support.ts';

describe('a file taken apart and put together', () => {
  test.each([
    ['mp3_128', 2, 44_100],
    ['mp3_320', 2, 48_000],
    ['mp3_8', 1, 8000],
    ['mp3_32', 1, 22_050],
    ['mp3_64', 2, 11_025],
    ['mp3_160', 2, 24_000],
  ])('%s, %d ch, %d Hz: the same bytes, Info frame included', async (format, channels, sampleRate) => {
    await inFolder(async (folder) => {
      const [whole, again] = [join(folder, 'whole'), join(folder, 'again')];
      const input = channels === 1 ? await speech({ seconds: 12.3 }) : await music({ seconds: 12.3 });
      const { plan } = await prepare(input, { format, channels, sampleRate });
      await singleRun(input, plan, whole);
      await joinMp3([{ path: whole, cut: 0, runIn: 0 }], again);
      expect((await readFile(again)).equals(await readFile(whole))).toBe(true);
    });
  });
});

test('a damaged mp3, and segments of different sound, are rejected', async () => {
  await inFolder(async (folder) => {
    const [a, b, odd] = ['a', 'b', 'odd'].map((name) => join(folder, name)) as [string, string, string];
    const request = { format: 'mp3_64', channels: 1, sampleRate: 44_100 };
    for (const [input, path] of [
      [await speech({ seconds: 12.3 }), a] as const,
      [await music({ seconds: 12.3 }), b] as const,
    ]) {
      await singleRun(input, (await prepare(input, request)).plan, path);
    }
    await writeFile(odd, (await readFile(a)).subarray(0, -10));
    const out = join(folder, 'out');
    await expect(joinMp3([{ path: odd, cut: 0, runIn: 0 }], out)).rejects.toThrow('cut off');
    const segments = [
      { path: a, cut: 0, runIn: 0 },
      { path: b, cut: 196, runIn: 98 },
    ];
    await expect(joinMp3(segments, out)).rejects.toThrow('no place at seam 1');
  });
});
