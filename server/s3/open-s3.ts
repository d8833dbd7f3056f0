import type { Logger } from 'pino';
import type { S3Settings } from '../../network/s3-client.ts';
import { describeProblem } from '../problem-error.ts';
import { S3Links } from './s3-links.ts';
import type { S3Prefix } from '../../contract/s3-prefix.ts';
import { S3Store } from './s3-store.ts';
import { S3Uploads } from './s3-uploads.ts';

const sweepEveryMs = 10 * 60_000;

export interface S3ServerSettings extends S3Settings {
  /** Where uploads go; undefined: it takes none. */
  uploads: S3Prefix | undefined;
  /** Of which objects runs have links. */
  links: readonly S3Prefix[];
  uploadMaxBytes: number;
}

/** What of the S3 store goes through the server: signatures, and no byte of a file. */
export interface OpenS3 {
  uploads: S3Uploads | undefined;
  links: S3Links;
  stop(): void;
}

export function openS3({ uploads: prefix, links, uploadMaxBytes, ...settings }: S3ServerSettings, log: Logger): OpenS3 {
  const store = new S3Store(settings);
  const uploads = prefix && new S3Uploads({ store, prefix, maxBytes: uploadMaxBytes });
  const prefixes = prefix === undefined ? links : [...links, prefix];
  const opened = { uploads, links: new S3Links({ store, prefixes, uploads, log }) };
  if (uploads === undefined) return { ...opened, stop: () => undefined };
  const sweep = (): void => {
    uploads.sweep().catch((error: unknown) => {
      log.warn({ error: describeProblem(error) }, 'Unfinished uploads at the S3 store are not removed');
    });
  };
  sweep();
  const timer = setInterval(sweep, sweepEveryMs).unref();
  return { ...opened, stop: () => clearInterval(timer) };
}
