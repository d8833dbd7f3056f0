import { expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { toolPath } from '../../../support/tools.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { motion, quickH264 } from '../../../support/films.ts';
import { rowsExcept } from '../../../support/rows.ts';

await toolPath('VMAF_FFMPEG_PATH');
const { encode, encoded, make } = await useEncodes();

const vmaf = 88;

// The scale of crf differs by codec.
test.each(
  rowsExcept(['av1', 'vp9'], [
    ['hevc', 'mp4'],
    ['av1', 'mp4'],
    ['vp9', 'webm'],
  ] as const),
)('finds the largest crf of %s in %s that reaches a target', async (codec, container) => {
  const noisy = ['-vf', 'noise=alls=12:allf=t,format=yuv420p'];
  await make('film.mkv', ...motion(1), ...noisy, ...quickH264, '-crf', '4');
  const video = { codec, speed: 'fast' } as const;
  const [output] = (await encoded('film.mkv', [{ container, video, target: { vmaf } }])).outputs;
  const { crf = NaN, isReached } = output?.target ?? {};
  expect(isReached).toBe(true);
  expect(output?.quality?.vmaf.mean).toBeGreaterThanOrEqual(vmaf);
  const next = await encode('film.mkv', [{ container, video: { ...video, crf: crf + 1 }, quality: true }]);
  expect(EncodeResult.parse(next.body).outputs[0]?.quality?.vmaf.mean).toBeLessThan(vmaf);
});
