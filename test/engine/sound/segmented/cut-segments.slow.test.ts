import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { expectSameSamples, makeBoth } from './cut-support.ts';
import type { CutTestRow } from './cut-rows.ts';
import { rowsExcept } from '../../../support/rows.ts';

// Outputs that are cut, faded, mixed, levelled or from another track, in segments and in a single run (all rows: `npm
// run check:matrix`).

const everything = { trimStart: true, trimEnd: true, shortenTo: 0.21 };

test.each<CutTestRow>(
  rowsExcept(
    ['two tracks', 'unequal speakers'],
    [
      [
        'pauses in FLAC',
        { format: 'mp3_128', silence: everything, trim: { start: 6.54321, end: 49.5 }, fade: { out: 20 } },
        2,
      ],
      ['a video whose audio starts late', { format: 'mp3_128', trim: { start: 0.5, end: 48 }, fade: { in: 30 } }, 2],
      ['two tracks', { format: 'mp3_128', track: 1, fade: { in: 5, out: 30 } }, 2],
      ['unequal speakers', { format: 'mp3_64', level: 'speech' }, 2],
      ['FLAC without its header', { format: 'mp3_128', trim: { start: 7.7777777 } }, 3],
      // 801,875.01 samples, of which the resampler makes 801,875.
      ['FLAC', { format: 'mp3_32', channels: 1, sampleRate: 16_000 }, 3],
    ],
  ),
)('the mp3 of %s as %j, in %d segments, equals that of a single run byte by byte', async (input, output, segments) => {
  await makeBoth({ input, output, segments }, async (single, segmented) => {
    expect((await readFile(segmented)).equals(await readFile(single))).toBe(true);
  });
});

test.each<CutTestRow>(
  rowsExcept(
    ['mp3', 'pauses in m4a', 'a video whose audio starts late', '5.1 in AC-3'],
    [
      ['WAV', { format: 'aac_96', trim: { start: 1.23457, end: 47.00013 }, fade: { in: 20.2, out: 25 } }, 3],
      ['FLAC without its header', { format: 'opus_64', trim: { start: 7.7777777 } }, 3],
      ['mp3', { format: 'aac_96', trim: { start: 5.4321, end: 50 }, fade: { in: 25, out: 3 } }, 3],
      ['pauses', { format: 'opus_64', channels: 1, silence: everything, fade: { in: 2, out: 20 } }, 2],
      ['pauses in m4a', { format: 'aac_96', silence: { shortenTo: 0.05 }, fade: { in: 15 } }, 3],
      ['a video whose audio starts late', { format: 'opus_64' }, 2],
      ['a recording with a gap', { format: 'opus_64', trim: { start: 2.71828 }, fade: { out: 40 } }, 2],
      ['5.1 in AC-3', { format: 'aac_96', channels: 2, trim: { start: 1.0001 }, fade: { out: 30 } }, 2],
    ],
  ),
)("the encoders of %s as %j, in %d segments, receive the single run's samples", async (input, output, segments) => {
  await expectSameSamples({ input, output, segments });
});
