import { expect, test } from 'vitest';
import { importsUnder } from '../../../support/imports.ts';

/** A look at a source has no use for encoders, joins or stores. */
const besidesFfmpeg = [
  'engine/ffmpeg/limited-run.ts',
  'engine/ffmpeg/source-limits.ts',
  'container/errors.ts',
  'engine/formats/joined-parts.ts',
  'engine/formats/ogg/page-flags.ts',
  'container/operations/metadata.ts',
];

test('POST /metadata loads nothing of the container but what runs ffmpeg, the limits of sources and where joined files begin', async () => {
  const imports = importsUnder('container').filter(({ isType }) => !isType);
  const loaded = new Set(['container/operations/metadata.ts']);
  // A set tells its own iteration of what is added meanwhile.
  for (const file of loaded) {
    for (const { from, to } of imports) if (from === file && to.startsWith('container/')) loaded.add(to);
  }
  expect(loaded).toContain('engine/ffmpeg/run.ts');
  expect([...loaded].filter((file) => !file.startsWith('engine/ffmpeg/')).toSorted()).toEqual(besidesFfmpeg);
});
