import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { cutRows } from './cut-rows.ts';
import { expectSameSamples, makeBoth } from './cut-support.ts';

// Outputs that are cut, faded, mixed, levelled or of another track, in segments beside the single run: every row.

describe('an mp3 of segments is the single run’s by every byte', () => {
  test.each(cutRows)('%s as %j in %d segments', async (input, output, segments) => {
    await makeBoth({ input, output, segments }, async (single, segmented) => {
      expect((await readFile(segmented)).equals(await readFile(single))).toBe(true);
    });
  });
});

describe('the encoders of segments are given the single run’s samples by every bit', () => {
  // Opus has one rate, and of longer run-ins fewer segments.
  test.each(cutRows)('%s, for Opus in place of %j', async (input, output) => {
    const { sampleRate: _, ...atAnyRate } = output;
    await expectSameSamples({ input, segments: 2, output: { ...atAnyRate, format: 'opus_64' } });
  });
  // At 44.1 kHz frames of AAC and of the level of speech meet every 153 s.
  const aacRows = cutRows.filter(([, { level, sampleRate }]) => level === undefined || sampleRate === 48_000);
  test.each(aacRows)('%s, for AAC in place of %j, in %d segments', async (input, output, segments) => {
    await expectSameSamples({ input, segments, output: { ...output, format: 'aac_96' } });
  });
});
