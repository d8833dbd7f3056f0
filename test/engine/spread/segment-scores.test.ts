import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildBox } from '../../../engine/formats/isobmff/box.ts';
import { appendSceneCrfs, appendScores, poolScores, readSceneCrfs } from '../../../engine/spread/segment-scores.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

/** Writes the file of a segment with other boxes, and the scores of its pictures. */
async function makeSegment(name: string, vmaf?: readonly number[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, Buffer.concat([buildBox('moof', Buffer.alloc(9)), buildBox('mdat', Buffer.from('scor'))]));
  if (vmaf === undefined) return path;
  const scored = (factor: number): Float32Array => Float32Array.from(vmaf, (score) => score * factor);
  await appendScores(path, { vmaf: scored(1), psnr: scored(0.5), ssim: scored(0.01) });
  return path;
}

test('pools the scores of segments in their order, and counts the pictures before each seam', async () => {
  const paths = [await makeSegment('one', [91.25, 90.5]), await makeSegment('two', [88.125, 99, 77])];
  const { scores, seams } = (await poolScores(paths, 5)) ?? {};
  expect([...(scores?.vmaf ?? [])]).toEqual([91.25, 90.5, 88.125, 99, 77]);
  expect([...(scores?.psnr ?? [])]).toEqual([45.625, 45.25, 44.0625, 49.5, 38.5]);
  expect(scores?.ssim[4]).toBeCloseTo(0.77, 6);
  expect(seams).toEqual([2]);
});

test('pools nothing if a segment has no scores, or if a picture has none', async () => {
  const scored = await makeSegment('scored', [90, 91]);
  expect(await poolScores([scored, await makeSegment('unscored')], 4)).toBeUndefined();
  expect(await poolScores([scored, scored], 5)).toBeUndefined();
});

test('lists the rate factors of the scenes of all segments beside their scores', async () => {
  const paths = [await makeSegment('first', [90, 91]), await makeSegment('second', [92, 93])];
  expect(await readSceneCrfs(paths)).toBeUndefined();
  await appendSceneCrfs(paths[0] ?? '', [22.5, 24]);
  await appendSceneCrfs(paths[1] ?? '', [19.25]);
  expect(await readSceneCrfs(paths)).toEqual([22.5, 24, 19.25]);
  expect((await poolScores(paths, 4))?.seams).toEqual([2]);
});
