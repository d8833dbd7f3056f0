import type { Logger } from 'pino';
import { openStores, type StoreVariables } from '../../stores/backends.ts';
import { describeProblem } from '../problem-error.ts';
import { BucketLinks } from './bucket-links.ts';
import { BucketUploads, partUrlSeconds } from './bucket-uploads.ts';

const sweepEveryMs = 10 * 60_000;

export interface BucketSettings {
  stores: StoreVariables;
  /** Prefix of the uploads, such as `s3://media/uploads/`; undefined: the server accepts none. */
  uploads: string | undefined;
  /** Prefixes of the objects that runs may link. */
  links: readonly string[];
  uploadMaxBytes: number;
}

/** The server signs requests to the store. No byte of a file passes through the server. */
export interface OpenBuckets {
  uploads: BucketUploads | undefined;
  links: BucketLinks;
  stop(): void;
}

export function openBuckets(settings: BucketSettings, log: Logger): OpenBuckets {
  const { uploads: prefix, links, uploadMaxBytes: maxBytes } = settings;
  const stores = openStores(settings.stores, partUrlSeconds);
  const uploads = prefix === undefined ? undefined : new BucketUploads({ stores, prefix, maxBytes });
  const prefixes = prefix === undefined ? links : [...links, prefix];
  const opened = { uploads, links: new BucketLinks({ stores, prefixes, uploads, log }) };
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
