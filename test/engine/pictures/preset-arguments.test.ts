import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filmPresets, stillOfPreset, withFilmPresets } from '../../media/presets/film-presets.ts';
import { projectRoot, textOf } from '../../support/project-files.ts';

test('docs/presets.md has the filters and arguments that ffmpeg gets for every preset of films', () => {
  const page = textOf('docs/presets.md');
  // `npm run docs:tables` writes them.
  expect(withFilmPresets(page)).toBe(page);
  expect(filmPresets).toContain('web-h264-1080');
});

test.each(filmPresets)('docs/presets.md has a still of %s that loads at once', (preset) => {
  // `npm run docs:stills` makes them.
  const { size } = statSync(`${projectRoot}docs/${stillOfPreset(preset)}`);
  expect(size).toBeGreaterThan(1000);
  expect(size).toBeLessThan(15_000);
});
