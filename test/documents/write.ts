/** Writes the tables of the documents that follow from the code and the figures: `npm run docs:tables`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withFilmPresets } from '../media/presets/film-presets.ts';
import { projectRoot } from '../support/project-files.ts';
import { drawFigures, figureChart } from './figure-chart.ts';
import { documentsWithTables, withTables } from './tables.ts';

await writeFile(join(projectRoot, figureChart), drawFigures());
for (const document of documentsWithTables) {
  const path = join(projectRoot, document);
  const text = await readFile(path, 'utf8');
  const withPresets = document === 'docs/presets.md' ? withFilmPresets(text) : text;
  await writeFile(path, await withTables(document, withPresets));
}
