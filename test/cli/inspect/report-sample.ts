import type { AudioReport } from '../../../contract/http/report.ts';

/** A report without findings. */
export const goodReport: AudioReport = {
  version: 1,
  source: { format: 'flac', codec: 'flac', isLossy: false },
  duration: 61.25,
  channels: 2,
  sampleRate: 44_100,
  loudness: {
    integrated: -16,
    truePeak: -1.2,
    range: 5,
    greatestMomentary: -10,
    greatestShortTerm: -12,
    curve: { interval: 0.1, momentary: [null, -50, -27.5, -5], shortTerm: [null, null, -20, -19] },
  },
  levels: [
    { peak: -1.5, rms: -20, dcOffset: 0.0001 },
    { peak: -1.4, rms: -20, dcOffset: 0 },
  ],
  clipping: { count: 0, samples: 0, places: [] },
  silence: { threshold: -50, shortest: 0.5, count: 1, seconds: 0.7, places: [{ start: 3, end: 3.7 }] },
  stereo: { kind: 'stereo', correlation: 0.6, outOfPhaseSeconds: 0, worst: [] },
  noiseFloor: -70,
  bandwidth: { frequency: 21_000, probablyLossy: false },
};
