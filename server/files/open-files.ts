import type { Logger } from 'pino';
import { ServerConfigError } from '../config.ts';
import { type MediaFolders, openMediaFolders } from './media-folders.ts';
import { MediaLinks } from './media-links.ts';
import { sweepResults } from './sweep-results.ts';
import { Uploads } from './uploads.ts';

const sweepEveryMs = 10 * 60_000;

export interface MediaSettings {
  root: string;
  uploadMaxBytes: number;
  uploadKeptMs: number;
  /** Time from the last change until a run's results are deleted; undefined keeps them. */
  resultsKeptMs: number | undefined;
  linkKey: string | undefined;
}

export interface OpenFiles {
  folders: MediaFolders;
  uploads: Uploads;
  links: MediaLinks;
  stop(): void;
}

/** Throws if MEDIA_ROOT is not writable. */
export function openFiles(
  { root, uploadMaxBytes, uploadKeptMs, resultsKeptMs, linkKey }: MediaSettings,
  log: Logger,
): OpenFiles {
  const folders = openFolders(root);
  const uploads = new Uploads({ folder: folders.uploads, maxBytes: uploadMaxBytes, keptMs: uploadKeptMs });
  const sweep = (): void => {
    Promise.all([uploads.sweep(), sweepResults(folders.results, resultsKeptMs)]).catch((error: unknown) =>
      log.warn({ error: (error as Error).message }, 'Old files are not removed'),
    );
  };
  sweep();
  const timer = setInterval(sweep, sweepEveryMs).unref();
  return { folders, uploads, links: new MediaLinks(folders.root, linkKey), stop: () => clearInterval(timer) };
}

function openFolders(root: string): MediaFolders {
  try {
    return openMediaFolders(root);
  } catch (error) {
    throw new ServerConfigError(`MEDIA_ROOT ${root} cannot be used: ${(error as Error).message}.`);
  }
}
