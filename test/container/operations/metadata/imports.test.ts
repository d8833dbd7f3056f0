import { expect, test } from 'vitest';
import { importsUnder } from '../../../support/imports.ts';

/** Inspecting a source needs no encoders, joins or stores. */
const besidesFfmpeg = [
  'container/operations/metadata.ts',
  'engine/formats/chunk-headers.ts',
  'engine/formats/ending.ts',
  'engine/formats/isobmff/box.ts',
  'engine/formats/joined-parts.ts',
  'engine/formats/malformed-file.ts',
  'engine/formats/ogg/page-flags.ts',
  'engine/formats/placeholder-size.ts',
  'engine/formats/wav/riff-length.ts',
  'engine/formats/windowed-file.ts',
  'engine/media-error.ts',
  'engine/source/describe-media.ts',
  'engine/source/missing-index.ts',
  'engine/source/probe-source.ts',
  'engine/source/still-image.ts',
  'engine/source/stream-bits.ts',
  'engine/source/unreadable-source.ts',
  'engine/usage.ts',
];

test('loads for POST /metadata only what runs ffmpeg, limits sources, finds joined parts and explains failures', async () => {
  const imports = ['container', 'engine']
    .flatMap(importsUnder)
    .filter(({ isType, to }) => !isType && /^(?:container|engine)\//.test(to));
  const loaded = new Set(['container/operations/metadata.ts']);
  // Iterating over a set includes members added meanwhile.
  for (const file of loaded) {
    for (const { from, to } of imports) if (from === file) loaded.add(to);
  }
  expect(loaded).toContain('engine/ffmpeg/run.ts');
  expect([...loaded].filter((file) => !file.startsWith('engine/ffmpeg/')).toSorted()).toEqual(besidesFfmpeg);
});
