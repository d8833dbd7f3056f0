import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { cutRows } from './cut-rows.ts';
import { expectSameSamples, makeBoth } from './cut-support.ts';

// Every row: outputs that are cut, faded, mixed, levelled or from another track, in segments and in a single run.

describe('an mp3 in segments equals that of a single run byte by byte:', () => {
  test.each(cutRows)('%s as %j in %d segments', async (input, output, segments) => {
    await makeBoth({ input, output, segments }, async (single, segmented) => {
      expect((await readFile(segmented)).equals(await readFile(single))).toBe(true);
    });
  });
});

describe("the encoders of segments receive the single run's samples bit by bit:", () => {
  // Opus has one rate, and longer run-ins allow fewer segments.
  test.each(cutRows)('%s, with Opus instead of %j', async (input, output) => {
    const { sampleRate: _, ...atAnyRate } = output;
    await expectSameSamples({ input, segments: 2, output: { ...atAnyRate, format: 'opus_64' } });
  });
  // At 44.1 kHz, frames of AAC and of the speech level coincide every 153 s.
  const aacRows = cutRows.filter(([, { level, sampleRate }]) => level === undefined || sampleRate === 48_000);
  test.each(aacRows)('%s, with AAC instead of %j, in %d segments', async (input, output, segments) => {
    await expectSameSamples({ input, segments, output: { ...output, format: 'aac_96' } });
  });
});
