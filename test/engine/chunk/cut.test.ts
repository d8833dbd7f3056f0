import { expect, test } from 'vitest';
import { chunkOptions, type ChunkSource, planCut } from '../../../engine/chunk/cut.ts';

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

test('writes a WAV chunk above 4 GiB as RF64', () => {
  const cut = planCut({ ...source, formatName: 'wav', codec: 'pcm_s16le', channels: 2 }, 0.02);
  const { output } = chunkOptions({ index: 0, start: 0, duration: 86_400 }, true, cut);
  expect(output.join(' ')).toContain('-rf64 auto -f wav');
});

test('gives the Ogg chunks of a source serial numbers that differ from each other and not between two jobs', () => {
  const cut = planCut({ ...source, channels: 2 }, undefined);
  for (const index of [0, 3]) {
    const { output } = chunkOptions({ index, start: 60 * index, duration: 60 }, false, cut);
    expect(output.join(' ')).toContain(`-fflags +bitexact -serial_offset ${index} -f ogg`);
  }
});
