import { expect, test } from 'vitest';
import { type ChunkSource, planCut } from '../../../engine/chunk/cut.ts';

const source: Omit<ChunkSource, 'channels'> = {
  ...{ formatName: 'ogg', codec: 'opus', declaredSeconds: undefined },
  ...{ sampleRate: 48_000, losslessBits: undefined, sampleFormat: 'fltp' },
};

test.each([
  [2, false],
  [5, true],
  [6, false],
  [7, true],
])('requests the mapping family of chunks of %i Opus channels: %s', (channels, isRequested) => {
  const cut = planCut({ ...source, channels }, undefined);
  expect(cut).toMatchObject({ kind: 'encode', container: 'ogg' });
  expect('encoder' in cut && cut.encoder.includes('-mapping_family')).toBe(isRequested);
});
