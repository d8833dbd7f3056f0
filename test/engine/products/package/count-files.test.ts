import { expect, test } from 'vitest';
import { jsonBytes, maxPayloadBytes } from '../../../../contract/payload-size.ts';
import { builtInPresets } from '../../../../contract/presets.ts';
import { resolveOutput } from '../../../../contract/resolve-output.ts';
import type { PictureLimits } from '../../../../engine/ffmpeg/limits.ts';
import { checkMadeFiles } from '../../../../engine/products/package/count-files-together.ts';
import { planProducts } from '../../../../engine/products/plan-products.ts';
import type { Linked } from '../../../../engine/products/product/linked.ts';
import type { Source } from '../../../../engine/source/source.ts';
import type { Work } from '../../../../engine/work.ts';

/** Plans packages of a film of 78 minutes, which has six sizes, for each of these fields. */
async function plan(fields: readonly object[], tracks: readonly object[] = []): Promise<number> {
  const frames = 78 * 60;
  const pictures = {
    ...{ codec: 'h264', isUpright: true, isInterlaced: false, isFullRange: false, pixelFormat: 'yuv420p', bitrate: 0 },
    ...{ coded: { width: 1920, height: 1080 }, pixelAspect: { num: 1, den: 1 }, timeBase: { num: 1, den: 1 } },
    ...{ colour: { space: 'bt709', primaries: 'bt709', transfer: 'bt709' }, constantRate: { num: 1, den: 1 } },
    ...{ filmStart: 0, startTicks: 0, endTicks: frames, frames, keyTicks: [0], soundStarts: tracks.map(() => 0) },
    stamps: Array.from({ length: frames }, (_, number) => number),
  };
  const source = { tracks, audio: tracks[0], subtitles: [], tags: {}, pictures } as unknown as Source;
  const outputs = fields.map((one) => resolveOutput({ preset: 'hls-h264', ...one }, builtInPresets));
  const cue = { startMs: 0, endMs: 1000, text: 'Hello' };
  const linked = { watermarkOf: () => undefined, subtitleOf: () => ({ cues: [cue] }) } as unknown as Linked;
  const work = { folder: '/x', signal: new AbortController().signal } as unknown as Work;
  return (await planProducts(outputs, '', source, linked, {} as PictureLimits, work)).length;
}

test('the packages of a job have at most 12,000 files together', async () => {
  await expect(plan([{}, {}])).resolves.toBe(2);
  await expect(plan([{}, {}, {}])).rejects.toThrow(
    'the packages of the job would have about 14040 files together, and the limit is 12000',
  );
  await expect(plan([{}, {}, { layout: 'byte_ranges' }])).resolves.toBe(3);
  await expect(plan([{}, {}, { segmentSeconds: 30 }])).resolves.toBe(3);
});

test('a trimmed film has files for the kept part of its sound, which is not counted', async () => {
  const sound = { track: 0, codec: 'aac', sampleRate: 48_000, channels: 2, leadSeconds: 0, estimatedSeconds: 78 * 60 };
  const cut = { segmentSeconds: 1, trim: { start: 600, end: 1200 } };
  await expect(plan([cut], [sound])).resolves.toBe(1);
  await expect(plan([cut, cut, cut], [sound])).rejects.toThrow('would have about 12600 files together');
});

test('packages are counted before trials choose the sizes of another one', async () => {
  await expect(plan([{ perTitle: true }, {}, {}, {}])).rejects.toThrow('would have about 14040 files together');
});

test('an encoded package has at most 5,000 files, and the packages of a job have at most 12,000 together', () => {
  const plans = { layout: 'files', kinds: ['hls'], segmentSeconds: 6 };
  const check = (seconds: readonly number[], layout = 'files'): void => {
    const product = { plan: { ...plans, layout }, label: 'hls-audio', named: { preset: 'hls-audio' } };
    const made = seconds.map((length) => ({
      product,
      parts: [{ encoded: { streams: { audio: { seconds: length } } } }],
    }));
    checkMadeFiles(made as never);
  };
  expect(() => check([30_000.01, 30_000.01])).not.toThrow();
  expect(() => check([43_200])).toThrow('it would have about 7200 files, and the limit is 5000');
  expect(() => check([43_200], 'byte_ranges')).not.toThrow();
  expect(() => check([30_000, 30_000, 30_000])).toThrow('would have about 15000 files together');
});

test('the files of packages include those of their subtitles', async () => {
  const subtitles = { add: Array.from({ length: 32 }, () => ({ url: 'https://media.test/talk.srt' })) };
  await expect(plan([{ subtitles }])).resolves.toBe(1);
  await expect(plan([{ subtitles }, { subtitles }])).rejects.toThrow('would have about 14352 files together');
  await expect(plan([{ subtitles }, { subtitles, package: ['dash'] }])).resolves.toBe(2);
});

test('the answer about 12,000 files fits into the history of a run', () => {
  const sha256 = '0'.repeat(64);
  const file = { name: 'v1080-2/12000.m4s', size: 10_000_000, contentType: 'video/mp4', sha256 };
  expect(12_000 * jsonBytes(file)).toBeLessThan(0.95 * maxPayloadBytes);
});
