import { expect, test } from 'vitest';
import { type AnalysisArguments, describeAnalyses } from '../../../cli/media/analysis-arguments.ts';

test.each<[AnalysisArguments, object[]]>([
  [{}, []],
  [{ analysis: ['peaks'] }, [{ analysis: 'peaks' }]],
  [
    { analysis: ['peaks', 'peaks'], image: ['waveform'], zoom: 64, bits: 8, splitChannels: true, width: 90 },
    [
      { analysis: 'peaks', zoom: 64, bits: 8, splitChannels: true },
      { image: 'waveform', width: 90, splitChannels: true },
    ],
  ],
  [
    { image: ['waveform'], imageFormat: 'svg', backgroundColor: '#00000000' },
    [{ image: 'waveform', imageFormat: 'svg', colors: { background: '#00000000' } }],
  ],
  [
    { image: ['poster', 'preview'], at: '10%', imageQuality: 70, width: 640, imageFormat: 'webp', cuts: 3 },
    [
      { image: 'poster', at: '10%', quality: 70, width: 640, imageFormat: 'webp' },
      { image: 'preview', quality: 70, width: 640, imageFormat: 'webp', cuts: 3 },
    ],
  ],
])('describes %j as %j', (typed, outputs) => {
  expect(describeAnalyses(typed)).toEqual(outputs);
});

test.each<[AnalysisArguments, string]>([
  [{ zoom: 64 }, '--zoom needs --analysis peaks.'],
  [
    { analysis: ['peaks'], width: 90 },
    '--width needs --image waveform or --image spectrogram or --image poster or --image thumbnails or --image storyboard or --image contact-sheet or --image preview.',
  ],
  [{ image: ['waveform'], dataFormat: 'dat' }, '--data-format needs --analysis peaks.'],
  [{ splitChannels: true }, '--split-channels needs --analysis peaks or --image waveform.'],
  [{ waveformColor: '#000000' }, 'A color needs --image waveform.'],
  [{ analysis: ['peaks'], zoom: 1 }, '--zoom: '],
  [{ analysis: ['peaks'], bits: 12 }, '--bits: '],
  [{ image: ['waveform'], width: 100_000 }, '--width: '],
  [{ image: ['waveform'], height: 4000 }, '--height: is at most 2048 for waveform'],
  [{ image: ['waveform'], imageFormat: 'avif' }, '--image-format: is png or svg for waveform'],
  [
    { imageQuality: 50 },
    '--image-quality needs --image poster or --image thumbnails or --image storyboard or --image contact-sheet or --image preview.',
  ],
  [{ image: ['preview'], at: 3 }, '--at needs --image poster.'],
])('refuses %j with "%s"', (typed, sentence) => {
  expect(() => describeAnalyses(typed)).toThrow(sentence);
});
