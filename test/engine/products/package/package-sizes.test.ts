import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { planPackage } from '../../../../engine/products/package/plan-package.ts';
import type { Source } from '../../../../engine/source/source.ts';
import { settlePackage } from '../../../support/settled-outputs.ts';

/** A silent film of four seconds at 25 pictures per second. */
function filmOf(width: number, height: number): Source {
  const stamps = Array.from({ length: 100 }, (_, number) => number);
  const pictures = {
    ...{ codec: 'h264', isUpright: true, isInterlaced: false, isFullRange: false, pixelFormat: 'yuv420p', bitrate: 0 },
    ...{ coded: { width, height }, pixelAspect: { num: 1, den: 1 }, timeBase: { num: 1, den: 25 } },
    ...{ colour: { space: 'bt709', primaries: 'bt709', transfer: 'bt709' }, constantRate: { num: 25, den: 1 } },
    ...{ filmStart: 0, startTicks: 0, endTicks: 100, stamps, frames: 100, keyTicks: [0], soundStarts: [] },
  };
  return { tracks: [], subtitles: [], pictures } as unknown as Source;
}

function sizesOf(output: DescribedOutput, width: number, height: number): string[] {
  const given = { image: undefined, subtitleOf: () => ({ cues: [] }) };
  const { parts } = planPackage(settlePackage(output), filmOf(width, height), given, '/x');
  return parts.map(({ plan }) => `${plan.video?.shape.size.width}x${plan.video?.shape.size.height}`);
}

test.each<[DescribedOutput, number, number, string]>([
  [{ preset: 'hls-h264' }, 7680, 4320, '1920x1080'],
  [{ preset: 'hls-hevc' }, 7680, 4320, '3840x2160'],
  [{ preset: 'hls-av1' }, 5120, 2880, '3840x2160'],
  [{ preset: 'hls-hevc' }, 4320, 7680, '2160x3840'],
  [{ preset: 'hls-hevc' }, 8192, 2160, '5462x1440'],
  [{ preset: 'hls-h264' }, 9000, 1080, '6000x720'],
  [{ preset: 'hls-hevc' }, 4096, 2160, '4096x2160'],
  [{ preset: 'hls-h264', video: { level: '4.1' } }, 3840, 2160, '1920x1080'],
])('the sizes of %j from %i x %i begin with %s', (output, width, height, first) => {
  expect(sizesOf(output, width, height)[0]).toBe(first);
});

test('a requested size of more pixels than an output may have is refused', () => {
  expect(() => sizesOf({ preset: 'hls-hevc', renditions: [{ height: 4320 }] }, 7680, 4320)).toThrow(
    '7680x4320 pixels are more than the limit of 9000000 pixels',
  );
});
