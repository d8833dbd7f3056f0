import { expect, test } from 'vitest';
import { importsUnder } from '../../support/imports.ts';

/** A look at a source's header has no use for encoders, joins or stores. */
const mostFiles = 15;

test(`POST /metadata loads at most ${mostFiles} files of the container`, async () => {
  const imports = importsUnder('container').filter(({ isType }) => !isType);
  const loaded = new Set(['container/operations/metadata.ts']);
  // A set tells its own iteration of what is added meanwhile.
  for (const file of loaded) {
    for (const { from, to } of imports) if (from === file && to.startsWith('container/')) loaded.add(to);
  }
  expect(loaded).toContain('container/ffmpeg/run.ts');
  expect(loaded.size, [...loaded].join('\n')).toBeLessThanOrEqual(mostFiles);
});
