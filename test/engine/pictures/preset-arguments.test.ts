import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filmPresets, stillOfPreset, withFilmPresets } from '../../media/presets/film-presets.ts';
import { projectRoot, textOf } from '../../support/project-files.ts';

test("docs/presets.md lists ffmpeg's filters and arguments for every film preset", () => {
  const page = textOf('docs/presets.md');
  // `npm run docs:tables` writes them.
  expect(withFilmPresets(page)).toBe(page);
  expect(filmPresets).toContain('web-h264-1080');
});

test.each(filmPresets)('docs/presets.md shows a still of %s that loads quickly', (preset) => {
  // `npm run docs:stills` writes them.
  const { size } = statSync(`${projectRoot}docs/${stillOfPreset(preset)}`);
  expect(size).toBeGreaterThan(1000);
  expect(size).toBeLessThan(15_000);
});
