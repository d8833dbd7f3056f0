import { expect, test } from 'vitest';
import { findingsOf } from '../../../cli/inspect/findings.ts';
import type { AudioReport } from '../../../contract/http/report.ts';
import { goodReport } from './report-sample.ts';

test('a good recording has nothing to look at', () => {
  expect(findingsOf(goodReport)).toEqual([]);
});

test.each<[string, Partial<AudioReport>, string[]]>([
  [
    'clipping',
    { clipping: { count: 41, samples: 300, places: [{ channel: 0, start: 12.34, samples: 5 }] } },
    ['clips at 00:12.3, 41 times in all'],
  ],
  [
    'peaks between samples',
    { loudness: { ...goodReport.loudness, truePeak: 0.8 } },
    ['has peaks between its samples that clip when it is played: 0.8 dBTP'],
  ],
  ['silence throughout', { loudness: { ...goodReport.loudness, truePeak: null } }, ['is silent from beginning to end']],
  [
    'an inverted channel',
    { stereo: { kind: 'inverted', correlation: -0.9, outOfPhaseSeconds: 60, worst: [] } },
    ['left and right are out of phase: in mono little is left of it'],
  ],
  [
    'mono as stereo',
    { stereo: { kind: 'mono', correlation: 1, outOfPhaseSeconds: 0, worst: [] } },
    ['is mono in two channels: left and right are the same'],
  ],
  [
    'some seconds out of phase',
    { stereo: { kind: 'stereo', correlation: 0.5, outOfPhaseSeconds: 2, worst: [{ start: 3661, correlation: -0.8 }] } },
    ['left and right are out of phase for 2 seconds, such as at 1:01:01.0'],
  ],
  [
    'an mp3 in a FLAC',
    { bandwidth: { frequency: 16_538, cutoff: 16_538, probablyLossy: true, resemblesBitrate: 128 } },
    ['probably was an mp3 of about 128 kbit/s, or as much of another lossy format: nothing is above 16.5 kHz'],
  ],
  [
    'an mp3 that says so',
    {
      source: { format: 'mp3', codec: 'mp3', isLossy: true },
      bandwidth: { frequency: 16_538, cutoff: 16_538, probablyLossy: true, resemblesBitrate: 128 },
    },
    [],
  ],
  [
    'DC',
    {
      levels: [
        { peak: 0, rms: -9, dcOffset: 0 },
        { peak: 0, rms: -9, dcOffset: -0.025 },
      ],
    },
    ['right has a DC offset of -2.5 % of full scale'],
  ],
  [
    'a long pause',
    {
      silence: {
        threshold: -50,
        shortest: 0.5,
        count: 2,
        seconds: 17,
        places: [
          { start: 3, end: 8.5 },
          { start: 20, end: 31.5 },
        ],
      },
    },
    ['is silent for 11.5 s at 00:20.0, and 1 more time for 5 s and longer'],
  ],
])('%s is said in plain words', (_name, fields, expected) => {
  expect(findingsOf({ ...goodReport, ...fields })).toEqual(expected);
});
