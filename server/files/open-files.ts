import type { Logger } from 'pino';
import { SettingError } from '../../process/settings.ts';
import { type MediaFolders, openMediaFolders } from './media-folders.ts';
import { MediaLinks } from './media-links.ts';
import { sweepResults } from './sweep-results.ts';
import { Uploads } from './uploads.ts';

const sweepEveryMs = 10 * 60_000;

export interface MediaSettings {
  root: string;
  uploadMaxBytes: number;
  uploadKeptMs: number;
  /** Of a run's results after their last change; undefined: for good. */
  resultsKeptMs: number | undefined;
  linkKey: string | undefined;
}

/** What callers send, and what they get back. */
export interface OpenFiles {
  folders: MediaFolders;
  uploads: Uploads;
  links: MediaLinks;
  stop(): void;
}

/** Throws where MEDIA_ROOT cannot be written. */
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
    throw new SettingError(`MEDIA_ROOT ${root} cannot be used: ${(error as Error).message}.`);
  }
}
