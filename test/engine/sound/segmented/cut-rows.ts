import type { DescribedOutput } from '../../../../contract/http/output.ts';

/** A name of `cutInputs`, one of its outputs, and the number of segments. */
export type CutTestRow = [input: string, output: DescribedOutput, segments: number];

const silence = { trimStart: true, trimEnd: true, shortenTo: 0.21 };
export const cutRows: CutTestRow[] = [
  ['WAV', { format: 'mp3_128', trim: { start: 1.23457, end: 47.00013 } }, 3],
  ['WAV', { format: 'mp3_128', trim: { start: 0.3 } }, 2],
  ['WAV', { format: 'mp3_128', fade: { in: 20.2, out: 29.9 } }, 3],
  ['WAV of 48 kHz', { format: 'mp3_96', sampleRate: 44_100, trim: { start: 3.3333, end: 49 }, fade: { out: 30 } }, 2],
  ['WAV of 8 bits', { format: 'mp3_128', trim: { start: 2.00001 }, fade: { in: 40 } }, 3],
  ['speech', { format: 'mp3_64', channels: 1, silence: { shortenTo: 0.25, threshold: -40 }, fade: { out: 12 } }, 2],
  ['FLAC', { format: 'mp3_128', trim: { start: 7.7777777 }, fade: { in: 0.1, out: 25 } }, 3],
  ['mp3', { format: 'mp3_128', trim: { start: 5.4321, end: 50 }, fade: { in: 25, out: 3 } }, 3],
  ['m4a', { format: 'mp3_128', trim: { start: 0.00013, end: 50.1 }, fade: { in: 1, out: 40 } }, 3],
  ['Vorbis', { format: 'mp3_128', sampleRate: 48_000, trim: { start: 4.4 } }, 2],
  ['pauses', { format: 'mp3_128', silence }, 3],
  ['pauses', { format: 'mp3_96', channels: 1, sampleRate: 48_000, silence, fade: { in: 2, out: 20 } }, 2],
  ['pauses in FLAC', { format: 'mp3_128', silence, trim: { start: 6.54321, end: 49.5 } }, 2],
  ['pauses in mp3', { format: 'mp3_128', silence, trim: { start: 2.2222 }, fade: { out: 23 } }, 2],
  ['pauses in m4a', { format: 'mp3_128', silence: { shortenTo: 0.05 }, fade: { in: 15 } }, 3],
  ['a video whose audio starts late', { format: 'mp3_128' }, 3],
  ['a video whose audio starts late', { format: 'mp3_128', trim: { start: 0.5, end: 48 }, fade: { in: 30 } }, 2],
  ['a recording with a gap', { format: 'mp3_128', trim: { start: 2.71828 }, fade: { out: 40 } }, 3],
  ['a recording with a gap', { format: 'mp3_128', silence: { shortenTo: 0.5 } }, 2],
  ['a recording of 44.1 kHz with a gap', { format: 'mp3_128', sampleRate: 48_000 }, 2],
  ['a recording of 44.1 kHz with a gap', { format: 'mp3_128', sampleRate: 48_000, trim: { start: 2.71828 } }, 2],
  ['two tracks', { format: 'mp3_128', track: 1 }, 3],
  ['unequal speakers', { format: 'mp3_64', level: 'speech' }, 2],
  ['unequal speakers', { format: 'mp3_64', sampleRate: 48_000, level: 'speech', trim: { start: 3.3333 } }, 3],
  ['two tracks', { format: 'mp3_128', track: 1, trim: { start: 3.21, end: 45.678 }, fade: { in: 5, out: 5 } }, 2],
  ['5.1 in FLAC', { format: 'mp3_128', channels: 2 }, 3],
  ['5.1 in AC-3', { format: 'mp3_64', channels: 1 }, 2],
  ['5.1 in AC-3', { format: 'mp3_128', channels: 2, trim: { start: 1.0001 }, fade: { out: 30 } }, 2],
];
