import { expect, test } from 'vitest';
import type { OutputSettings } from '../../../../contract/output-settings.ts';
import { keepsAlpha } from '../../../../engine/source/pictures/open-pictures.ts';

const file = (video: object): OutputSettings => ({ kind: 'file', video }) as unknown as OutputSettings;

test.each([
  ['an archive', file({ codec: 'ffv1' }), true],
  ['an archive in a requested pixel format', file({ codec: 'ffv1', pixelFormat: 'yuv420p' }), false],
  ['a film of another codec', file({ codec: 'vp9' }), false],
])('knows whether %s has the transparency of the source', (_, output, matters) => {
  expect(keepsAlpha([file({ codec: 'h264' }), output])).toBe(matters);
});
