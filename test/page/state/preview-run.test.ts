import { expect, test } from 'vitest';
import { builtInPresets, type Presets } from '../../../contract/presets.ts';
import { previewable, previewOutputs } from '../../../page/state/preview-run.ts';

const named = (...names: string[]) => names.map((name) => ({ ...(builtInPresets as Presets)[name], name }));
const source = { sourceUrl: 'upload:x', name: 'Talk.wav', seconds: 100 };

test('a preview has ten seconds of each result and of the waveform, and neither images nor tags', () => {
  const presets = named('podcast-mp3-stereo', 'speech-opus');
  const outputs = previewOutputs({ presets, extras: { metadata: { title: 'A' }, cover: 'none' } }, source);
  const trim = { start: 45, end: 55 };
  expect(outputs).toEqual([
    { preset: 'podcast-mp3-stereo', trim, uploadUrl: 'result:Talk.mp3' },
    { preset: 'speech-opus', trim, uploadUrl: 'result:Talk.ogg' },
    { analysis: 'peaks', zoom: 256, trim, uploadUrl: 'result:Talk.peaks.json' },
  ]);
});

test('a preview of a trimmed result is from the middle of its part, and has its watermark', () => {
  const watermark = { url: 'upload:logo' };
  const extras = { trim: { start: 20, end: 60 }, watermark };
  const outputs = previewOutputs({ presets: named('proxy-360'), extras }, { ...source, name: 'Sea.mov' });
  expect(outputs).toEqual([
    { preset: 'proxy-360', trim: { start: 35, end: 45 }, watermark, uploadUrl: 'result:Sea.mp4' },
  ]);
});

test('packages have no preview', () => {
  expect(previewable(named('hls-h264', 'web-h264-720')).map(({ name }) => name)).toEqual(['web-h264-720']);
});
