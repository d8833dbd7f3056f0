/** `npm run docs:presets` writes the ffmpeg arguments of each video preset into docs/presets.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../support/project-files.ts';
import { withFilmPresets } from './film-presets.ts';

const path = join(projectRoot, 'docs/presets.md');
await writeFile(path, withFilmPresets(await readFile(path, 'utf8')));
