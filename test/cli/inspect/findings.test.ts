import { expect, test } from 'vitest';
import { findingsOf } from '../../../cli/inspect/findings.ts';
import type { AudioReport } from '../../../contract/http/report.ts';
import { goodReport } from './report-sample.ts';

test('has no findings for a good recording', () => {
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
    ['has inter-sample peaks that clip on playback: 0.8 dBTP'],
  ],
  ['silence throughout', { loudness: { ...goodReport.loudness, truePeak: null } }, ['is completely silent']],
  [
    'an inverted channel',
    { stereo: { kind: 'inverted', correlation: -0.9, outOfPhaseSeconds: 60, worst: [] } },
    ['left and right are out of phase: they cancel each other in mono'],
  ],
  [
    'mono as stereo',
    { stereo: { kind: 'mono', correlation: 1, outOfPhaseSeconds: 0, worst: [] } },
    ['is mono in two channels: left and right are identical'],
  ],
  [
    'some seconds out of phase',
    { stereo: { kind: 'stereo', correlation: 0.5, outOfPhaseSeconds: 2, worst: [{ start: 3661, correlation: -0.8 }] } },
    ['left and right are out of phase for 2 seconds, for example at 1:01:01.0'],
  ],
  [
    'an mp3 in a FLAC',
    { bandwidth: { frequency: 16_538, cutoff: 16_538, probablyLossy: true, resemblesBitrate: 128 } },
    ['was probably encoded with loss before, as mp3 at about 128 kbit/s or similar: it has nothing above 16.5 kHz'],
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
])('reports %s', (_name, fields, expected) => {
  expect(findingsOf({ ...goodReport, ...fields })).toEqual(expected);
});
