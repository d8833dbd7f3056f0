import { expect, test } from 'vitest';
import { hasSoxr } from '../../../engine/ffmpeg/tool-check.ts';
import { run } from '../../support/process.ts';

test('ffmpeg is said to have libsoxr exactly if it can resample with it', async () => {
  const tone = ['-f', 'lavfi', '-i', 'sine=d=0.01', '-af', 'aresample=48000:resampler=soxr', '-f', 'null', '-'];
  const { code } = await run('ffmpeg', ['-nostdin', '-v', 'error', ...tone]);
  expect(await hasSoxr()).toBe(code === 0);
});
