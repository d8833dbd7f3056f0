/** Writes what ffmpeg gets for each preset of films into docs/presets.md: `npm run docs:presets`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../support/project-files.ts';
import { withFilmPresets } from './film-presets.ts';

const path = join(projectRoot, 'docs/presets.md');
await writeFile(path, withFilmPresets(await readFile(path, 'utf8')));
