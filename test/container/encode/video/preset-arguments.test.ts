import { expect, test } from 'vitest';
import { builtInPresets } from '../../../../contract/presets.ts';
import { encoderArguments } from '../../../../container/encode/video/encoder-arguments.ts';
import type { PictureSource } from '../../../../container/encode/video/picture-source.ts';
import { planVideo } from '../../../../container/encode/video/video-plan.ts';
import { settleOutput } from '../../../../container/encode/output-plan.ts';
import { textOf } from '../../../support/project-files.ts';

const source: PictureSource = {
  ...{
    path: '',
    index: 0,
    codec: 'h264',
    isTurned: false,
    isUpright: true,
    isInterlaced: false,
    heldBack: 2,
    isFullRange: false,
  },
  ...{ coded: { width: 1920, height: 1080 }, pixelAspect: { num: 1, den: 1 }, pixelFormat: 'yuv420p' },
  colour: { space: 'bt709', primaries: 'bt709', transfer: 'bt709' },
  ...{ timeBase: { num: 1, den: 25 }, claimedRates: [], constantRate: { num: 25, den: 1 } },
  ...{ declaredSeconds: 4, ending: 'whole', formatName: 'mov', bitrate: 8000, sounds: [], soundStarts: [] },
  ...{ startTicks: 0, endTicks: 100, stamps: Array.from({ length: 100 }, (_, index) => index), frames: 100 },
  keyTicks: [0],
  ...{ startsLate: false, isStamped: true, isRgb: false, isForDolbyAlone: false, brightness: undefined },
  hasHidden: false,
};

const films = Object.entries(builtInPresets).flatMap(([preset, set]) =>
  'video' in set && !('package' in set) ? [preset] : [],
);

test.each(films)('docs/presets.md has the arguments that ffmpeg gets for %s', (preset) => {
  const settings = settleOutput({ preset }, builtInPresets);
  if (settings.video === undefined) throw new Error('no film');
  const args = encoderArguments(planVideo(settings.video, settings, source, undefined));
  const rows = textOf('docs/presets.md').replace(/ +/g, ' ').split('\n');
  expect(rows).toContain(`| ${preset} | \`${args.join(' ')}\` |`);
});
