import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of the files that pass through the server. The containers read them by `file:` URLs. */
export interface MediaFolders {
  /** MEDIA_ROOT with links resolved. */
  root: string;
  uploads: string;
  results: string;
  /** Corrected transcripts. */
  transcripts: string;
}

/** Creates the folders. They have a parent of their own: MEDIA_ROOT may hold other programs' files. */
export function openMediaFolders(mediaRoot: string): MediaFolders {
  mkdirSync(mediaRoot, { recursive: true });
  const root = realpathSync(mediaRoot);
  const open = (name: string): string => {
    const path = join(root, 'holdfast', name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  return { root, uploads: open('uploads'), results: open('results'), transcripts: open('transcripts') };
}
