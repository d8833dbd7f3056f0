import { expect, test } from 'vitest';
import { UnsupportedOutput } from '../../../../contract/unsupported-output.ts';
import { planWatermark } from '../../../../engine/pictures/edits/watermark.ts';

const kind = { demuxer: 'png_pipe', decoder: 'png', mimeType: 'image/png', begins: () => true } as const;
const image = { path: '/logo.png', kind, orientation: 1, width: 100, height: 50 } as const;
const naming = { label: 'mp4', named: { container: 'mp4' } };

function planAt(margin: number) {
  const size = { width: 1280, height: 720 };
  const settings = {
    link: { url: 'https://example.com/logo.png' },
    place: 'top-left',
    size: 0.15,
    opacity: 1,
  } as const;
  const colour = { space: undefined, primaries: undefined, transfer: undefined };
  const picture = { shape: { size, scaled: size }, pixelFormat: 'yuv420p', colour };
  return planWatermark({ ...settings, margin }, naming, image, picture);
}

test('a watermark is refused if its margins leave no room in the picture', () => {
  expect(planAt(0.25)).toMatchObject({ x: 320, y: 320, width: 160, height: 80 });
  expect(() => planAt(0.3)).toThrow(UnsupportedOutput);
});
