import { expect, test } from 'vitest';
import { ProbeOutput } from '../../../engine/ffmpeg/probed.ts';
import { findPictureProblem, type MeasuredPictures } from '../../../engine/pictures/verify-pictures.ts';
import type { VideoPlan } from '../../../engine/plan/video-plan.ts';

const plan: VideoPlan = {
  settings: {
    codec: 'h264',
    fit: 'contain',
    crf: 22,
    speed: 'medium',
    keyframeSeconds: 0.08,
    deinterlace: 'auto',
    copiedCodecs: undefined,
  },
  codec: 'h264',
  view: {
    turn: 0,
    isTurned: false,
    window: undefined,
    kept: { width: 160, height: 90 },
    pixelAspect: { num: 1, den: 1 },
    shown: { width: 160, height: 90 },
  },
  toneMap: undefined,
  shape: { size: { width: 160, height: 90 }, scaled: { width: 160, height: 90 } },
  pixelFormat: 'yuv420p',
  pixelAspect: { num: 1, den: 1 },
  crf: 22,
  bitrate: undefined,
  maxBitrate: undefined,
  speed: 'medium',
  timing: { kind: 'constant', fps: { num: 25, den: 1 }, frames: 4, startSeconds: 0 },
  cut: { filmStart: 0, from: 0, to: undefined },
  fade: undefined,
  keyframeSeconds: 0.08,
  threads: 1,
  fields: { kind: 'none' },
  colour: { space: 'bt709', primaries: undefined, transfer: undefined },
  isFromRgb: false,
  isFromFullRange: false,
  isFullRange: false,
};

const probed = (changes: object = {}) => {
  const stream = {
    index: 0,
    codec_name: 'h264',
    profile: 'High',
    width: 160,
    height: 90,
    pix_fmt: 'yuv420p',
    color_space: 'bt709',
  };
  const [found] = ProbeOutput.parse({ streams: [{ ...stream, ...changes }], format: { format_name: 'mov' } }).streams;
  if (found === undefined) throw new Error('no stream');
  return found;
};

const packet = (pts: number, dts: number, isKey = false) => ({
  pts,
  dts,
  duration: 40,
  size: 100,
  isKey,
  isHidden: false,
});

const measure = (packets: MeasuredPictures['packets'], changes: object = {}): MeasuredPictures => ({
  stream: probed(changes),
  packets,
  timeBase: { num: 1, den: 1000 },
  seconds: 0.16,
  facts: { kind: 'video', codec: 'h264', bitrate: 20, width: 160, height: 90, fps: 25, frames: packets.length },
});

const right = [packet(0, -40, true), packet(40, 0), packet(80, 40, true), packet(120, 80)];

test('pictures that match the plan have no problem', () => {
  expect(findPictureProblem(plan, measure(right), 4, 'mp4')).toBeUndefined();
});

test.each<[string, MeasuredPictures, string]>([
  ['another size', measure(right, { width: 158 }), '158x90'],
  ['pixels that are no squares', measure(right, { sample_aspect_ratio: '4:3' }), '4:3'],
  ['a rotation', measure(right, { side_data_list: [{ rotation: -90 }] }), 'turn'],
  ['another pixel format', measure(right, { pix_fmt: 'yuv422p' }), 'yuv422p'],
  ['another profile', measure(right, { profile: 'Main' }), 'its profile is Main and not High'],
  ['full range', measure(right, { color_range: 'pc' }), 'range of its colours is full'],
  ['other colours', measure(right, { color_space: 'smpte170m' }), 'smpte170m'],
  ['a picture too few', measure(right.slice(0, 3)), '3 pictures where 4 were encoded'],
  ['a late beginning', measure(right.map((one) => ({ ...one, pts: one.pts + 7 }))), 'at 0.007000 s and not at 0'],
  ['a picture beside its place', measure(right.with(2, packet(81, 40, true))), 'picture 2 is at 0.081000'],
  [
    'a decoding time that stands still',
    measure(right.with(2, packet(80, 0, true))),
    'packet 2 is not after that of the previous packet',
  ],
  ['a key frame in another place', measure(right.with(1, packet(40, 0, true))), 'not 2 pictures apart'],
  ['no key frame at its beginning', measure(right.with(0, packet(0, -40))), 'does not begin with a key frame'],
])('%s is a problem', (_what, measured, problem) => {
  expect(findPictureProblem(plan, measured, 4, 'mp4')).toContain(problem);
});

test("each picture of a variable rate keeps the source's time", () => {
  const timeBase = { num: 1, den: 1000 };
  const timing = { kind: 'variable', timeBase, stamps: [500, 540, 700, 720], startTicks: 460, endTicks: 760 } as const;
  const varied: VideoPlan = { ...plan, timing, keyframeSeconds: undefined };
  const times = (...stamps: number[]) => measure(stamps.map((stamp, index) => packet(stamp, stamp - 500, index === 0)));
  expect(findPictureProblem(varied, times(0, 80, 240, 260), 4, 'mp4')).toBeUndefined();
  expect(findPictureProblem(varied, times(0, 80, 260), 3, 'mp4')).toBeUndefined();
  expect(findPictureProblem(varied, times(0, 80, 241, 260), 4, 'mp4')).toContain('picture 2 is at 0.241000');
});

test('a picture that a decoder shows in place of a lost one is no problem', () => {
  const timeBase = { num: 1, den: 1000 };
  const timing = { kind: 'variable', timeBase, stamps: [500, 540, 700, 740], startTicks: 500, endTicks: 780 } as const;
  const varied: VideoPlan = { ...plan, timing, keyframeSeconds: undefined };
  const lossy: VideoPlan = { ...varied, timing: { ...timing, gridTicks: 40 } };
  const times = (...stamps: number[]) => measure(stamps.map((stamp, index) => packet(stamp, stamp - 500, index === 0)));
  expect(findPictureProblem(varied, times(0, 40, 160, 240), 4, 'mp4')).toContain('picture 2 is at 0.160000');
  expect(findPictureProblem(lossy, times(0, 40, 160, 240), 4, 'mp4')).toBeUndefined();
  expect(findPictureProblem(lossy, times(0, 40, 190, 240), 4, 'mp4')).toContain('picture 2 is at 0.190000');
});

test('a picture between two ticks is a problem also if each picture of the source has one tick', () => {
  const timeBase = { num: 1, den: 25 };
  const places = { stamps: [0, 1, 5, 6], startTicks: 0, endTicks: 7, gridTicks: 1 };
  const timing = { kind: 'variable', timeBase, ...places } as const;
  const varied: VideoPlan = { ...plan, timing, keyframeSeconds: undefined };
  const times = (...stamps: number[]) => measure(stamps.map((stamp, index) => packet(stamp, stamp - 500, index === 0)));
  expect(findPictureProblem(varied, times(0, 40, 160, 240), 4, 'mp4')).toBeUndefined();
  expect(findPictureProblem(varied, times(0, 40, 180, 240), 4, 'mp4')).toContain('picture 2 is at 0.180000');
});

test('a bitrate within the limit over two seconds is no problem, and one above it is', () => {
  const capped: VideoPlan = { ...plan, maxBitrate: 20 };
  expect(findPictureProblem(capped, measure(right), 4, 'mp4')).toBeUndefined();
  const large = measure(right.map((one) => ({ ...one, size: 1300 })));
  expect(findPictureProblem(capped, large, 4, 'mp4')).toContain('need more than the maxBitrate of 20 kbit/s');
});

test('a part of a film may have other colour tags than the start of the film, but no high dynamic range', () => {
  const part: VideoPlan = { ...plan, cut: { filmStart: 0, from: 2, to: undefined } };
  const other = measure(right, { color_space: 'smpte170m', color_transfer: 'smpte170m' });
  const problem = 'its colours are tagged smpte170m and not bt709';
  expect(findPictureProblem(plan, other, 4, 'mp4')).toBe(problem);
  expect(findPictureProblem(part, other, 4, 'mp4')).toBeUndefined();
  expect(findPictureProblem({ ...part, isFromRgb: true }, other, 4, 'mp4')).toBe(problem);
  const bright = measure(right, { color_space: 'bt2020nc', color_transfer: 'smpte2084' });
  expect(findPictureProblem(part, bright, 4, 'mp4')).toBe('its colours are tagged bt2020nc and not bt709');
});

test.each<[VideoPlan['codec'], Partial<VideoPlan['colour']>, object, boolean]>([
  ['vp9', { space: 'fcc' }, {}, true],
  ['vp9', { space: 'fcc' }, { color_space: 'bt709' }, false],
  ['vp9', { space: 'bt709' }, {}, false],
  ['h264', { space: 'fcc' }, {}, false],
])('pictures in %s with the planned colours %j may be tagged %j: %s', (codec, colour, found, isAccepted) => {
  const none = { space: undefined, primaries: undefined, transfer: undefined };
  const facts = codec === 'vp9' ? { codec_name: 'vp9', profile: 'Profile 0' } : {};
  const measured = measure(right, { ...facts, color_space: 'unknown', ...found });
  const problem = findPictureProblem({ ...plan, codec, colour: { ...none, ...colour } }, measured, 4, 'mp4');
  if (isAccepted) expect(problem).toBeUndefined();
  else expect(problem).toContain('its colours are tagged');
});
