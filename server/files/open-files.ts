import type { Logger } from 'pino';
import { SettingError } from '../../process/settings.ts';
import { type MediaFolders, openMediaFolders } from './media-folders.ts';
import { MediaLinks } from './media-links.ts';
import { sweepRegularly } from './sweep-regularly.ts';
import { sweepResults } from './sweep-results.ts';
import { TranscriptVersions } from './transcript-versions.ts';
import { Uploads } from './uploads.ts';

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
  transcripts: TranscriptVersions;
  stop(): void;
}

/** Throws if MEDIA_ROOT is not writable. `readOpenNames`: folders of results and random parts of uploads that open runs use. */
export function openFiles(
  { root, uploadMaxBytes, uploadKeptMs, resultsKeptMs, linkKey }: MediaSettings,
  log: Logger,
  readOpenNames: () => Promise<ReadonlySet<string>>,
): OpenFiles {
  const folders = openFolders(root);
  const uploads = new Uploads({ folder: folders.uploads, maxBytes: uploadMaxBytes, keptMs: uploadKeptMs });
  const sweep = () =>
    Promise.all([
      uploads.sweep(Date.now(), readOpenNames),
      sweepResults(folders.results, resultsKeptMs, Date.now(), readOpenNames),
      sweepResults(folders.transcripts, resultsKeptMs),
    ]);
  const stop = sweepRegularly(sweep, log, 'Old files are not removed');
  const transcripts = new TranscriptVersions(folders.transcripts);
  return { folders, uploads, links: new MediaLinks(folders.root, linkKey), transcripts, stop };
}

function openFolders(root: string): MediaFolders {
  try {
    return openMediaFolders(root);
  } catch (error) {
    throw new SettingError(`MEDIA_ROOT ${root} cannot be used: ${(error as Error).message}.`);
  }
}
