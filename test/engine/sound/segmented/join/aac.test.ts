import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { M4aFile } from '../../../../../engine/formats/isobmff/m4a-file.ts';
import { joinAac } from '../../../../../engine/sound/segmented/join/aac.ts';
import { music, speech } from '../inputs.ts';
import { inFolder, jobIn, segmentedRun, prepare, singleRun } from '../support.ts';

describe('a file taken apart and joined again', () => {
  test.each([
    // These lengths leave last frames of every kind: nearly empty and nearly full.
    ['aac_128', 2, 44_100, 12],
    ['aac_320', 2, 48_000, 7.12345],
    ['aac_48', 1, 22_050, 11.111],
    ['aac_32', 1, 16_000, 3.777],
  ])('%s, %d ch, %d Hz, %d s: the same bytes', async (format, channels, sampleRate, seconds) => {
    await inFolder(async (folder) => {
      const input = await music({ seconds });
      const [whole, again] = [join(folder, 'whole'), join(folder, 'again')];
      const { plan } = await prepare(input, { format, channels, sampleRate });
      await singleRun(input, plan, whole);
      await joinAac([{ path: whole, cut: 0, runIn: 0 }], again);
      expect((await readFile(again)).equals(await readFile(whole))).toBe(true);
    });
  });
});

test.each([
  ['music', 'aac_128', 3],
  ['speech', 'aac_48', 2],
])('%s as %s in %d segments: frames, priming and last duration as in the single run', async (kind, format, count) => {
  await inFolder(async (folder) => {
    const input = kind === 'music' ? await music({ seconds: 61.234 }) : await speech({ seconds: 61.234 });
    const [single, segmented] = [join(folder, 'single'), join(folder, 'segmented')];
    const { source, plan } = await prepare(input, { format });
    await segmentedRun(source, plan, count, () => 0.5, jobIn(folder), segmented);
    await singleRun(input, plan, single);
    const [a, b] = [await M4aFile.open(single), await M4aFile.open(segmented)];
    expect([b.frameCount, b.table.lastDuration]).toEqual([a.frameCount, a.table.lastDuration]);
    const edits = (file: M4aFile) => {
      const at = file.surroundings.moov.indexOf('elst', 0, 'latin1');
      return file.surroundings.moov.subarray(at, at + 24);
    };
    expect(edits(b)).toEqual(edits(a));
    await a.close();
    await b.close();
  });
});

test('a file that is not a plain m4a is rejected', async () => {
  await inFolder(async (folder) => {
    const input = await music({ seconds: 12.3 });
    const path = join(folder, 'whole');
    await singleRun(input, (await prepare(input, { format: 'aac_96' })).plan, path);
    const whole = await readFile(path);
    const joinAgain = async (): Promise<unknown> => await joinAac([{ path, cut: 0, runIn: 0 }], join(folder, 'out'));
    await writeFile(path, whole.subarray(0, -100));
    await expect(joinAgain()).rejects.toThrow('frames that do not lie');
    await writeFile(path, Buffer.alloc(1000));
    await expect(joinAgain()).rejects.toThrow('without moov or mdat');
  });
});
