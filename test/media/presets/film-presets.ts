import { encoderArguments } from '../../../engine/pictures/encoder-arguments.ts';

import { pictureFilters } from '../../../engine/pictures/picture-filters.ts';
import type { PictureSource } from '../../../engine/source/pictures/picture-source.ts';
import { planVideo } from '../../../engine/pictures/plan-video.ts';
import { containerFacts } from '../../../contract/formats.ts';
import type { Preset } from '../../../contract/http/preset.ts';
import { builtInPresets } from '../../../contract/presets.ts';
import { settleFile } from '../../support/settled-outputs.ts';

// Generates the section of docs/presets.md about video presets from the code.

/** A source of four seconds in 1080p. */
const plain: PictureSource = {
  path: '',
  index: 0,
  codec: 'h264',
  turn: 0,
  isUpright: true,
  isInterlaced: false,
  heldBack: 2,
  isFullRange: false,
  coded: { width: 1920, height: 1080 },
  pixelAspect: { num: 1, den: 1 },
  pixelFormat: 'yuv420p',
  colour: { space: 'bt709', primaries: 'bt709', transfer: 'bt709' },
  timeBase: { num: 1, den: 25 },
  claimedRates: [],
  constantRate: { num: 25, den: 1 },
  declaredSeconds: 4,
  ending: 'whole',
  formatName: 'mov',
  bitrate: 8000,
  sounds: [],
  ...{ soundStarts: [], filmStart: 0 },
  startTicks: 0,
  endTicks: 100,
  stamps: Array.from({ length: 100 }, (_, index) => index),
  frames: 100,
  keyTicks: [0],
  startsLate: false,
  isStamped: true,
  isRgb: false,
  isForDolbyAlone: false,
  brightness: undefined,
  hasHidden: false,
  hasRepeated: false,
  undatedPackets: 0,
};

/** Sources of presets for special sources. */
const special: Readonly<Record<string, { source: Partial<PictureSource>; words: string }>> = {
  'deinterlace-web': { source: { isInterlaced: true }, words: 'an interlaced source' },
  'hdr-to-sdr': {
    source: {
      pixelFormat: 'yuv420p10le',
      colour: { space: 'bt2020nc', primaries: 'bt2020', transfer: 'smpte2084' },
    },
    words: 'a source in HDR10',
  },
};

export const filmPresets = Object.entries<Preset>(builtInPresets).flatMap(([name, { video, package: kinds }]) =>
  video && kinds === undefined ? [name] : [],
);

export const stillOfPreset = (name: string): string => `presets/${name}.webp`;

function argumentsOf(name: string): string[] {
  const settings = settleFile({ preset: name });
  if (settings.video === undefined) throw new TypeError(`${name} has no pictures`);
  const source = { ...plain, ...special[name]?.source };
  const plan = planVideo({ settings: settings.video, output: settings, source });
  const filters = pictureFilters(plan, source, '0:v', 'v', {
    watermark: undefined,
    canvas: undefined,
    script: undefined,
  });
  const { muxerOptions, muxer } = containerFacts(settings.container);
  const lines = [encoderArguments(plan), [...muxerOptions, '-f', muxer]].map((line) => line.join(' '));
  return [`-filter_complex '${filters}' -map '[v]'`, ...lines];
}

function sectionOfPreset(name: string): string {
  const { description = '' } = (builtInPresets as Readonly<Record<string, Preset>>)[name] ?? {};
  const words = special[name]?.words;
  return [
    `### ${name}`,
    `![A film by ${name}](${stillOfPreset(name)})`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.${words === undefined ? '' : ` For ${words}:`}`,
    ['```sh', ...argumentsOf(name), '```'].join('\n'),
  ].join('\n\n');
}

/** Markers of the generated section in docs/presets.md. */
const [begin, end] = ['<!-- written by npm run docs:tables -->', '<!-- end of what was written -->'];

/** Replaces the generated section of the page. */
export function withFilmPresets(page: string): string {
  const [before, rest = ''] = page.split(begin);
  const after = rest.split(end)[1];
  if (before === undefined || after === undefined) throw new Error('docs/presets.md lacks its markers');
  return [before + begin, ...filmPresets.map(sectionOfPreset), end + after].join('\n\n');
}
