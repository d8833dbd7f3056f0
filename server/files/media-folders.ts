import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of the files that pass through the server. The containers read them by `file:` URLs. */
export interface MediaFolders {
  /** MEDIA_ROOT with links resolved. */
  root: string;
  uploads: string;
  results: string;
}

/** Creates the folders. They have a parent of their own: MEDIA_ROOT may hold other programs' files. */
export function openMediaFolders(mediaRoot: string): MediaFolders {
  const folder = join(mediaRoot, 'holdfast');
  for (const name of ['uploads', 'results']) mkdirSync(join(folder, name), { recursive: true });
  const root = realpathSync(mediaRoot);
  return { root, uploads: join(root, 'holdfast', 'uploads'), results: join(root, 'holdfast', 'results') };
}
