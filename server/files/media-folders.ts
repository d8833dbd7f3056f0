import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Where files lie that go through the server; the containers reach them by `file:` URLs. */
export interface MediaFolders {
  /** MEDIA_ROOT, links resolved. */
  root: string;
  uploads: string;
  results: string;
}

/** In a folder of their own: MEDIA_ROOT may hold whatever else. */
export function openMediaFolders(mediaRoot: string): MediaFolders {
  const folder = join(mediaRoot, 'holdfast');
  for (const name of ['uploads', 'results']) mkdirSync(join(folder, name), { recursive: true });
  const root = realpathSync(mediaRoot);
  return { root, uploads: join(root, 'holdfast', 'uploads'), results: join(root, 'holdfast', 'results') };
}
