import type { Logger } from 'pino';
import { openStores, type StoreVariables } from '../../stores/backends.ts';
import { sweepRegularly } from '../files/sweep-regularly.ts';
import { BucketLinks } from './bucket-links.ts';
import { BucketUploads, partUrlSeconds } from './bucket-uploads.ts';

export interface BucketSettings {
  stores: StoreVariables;
  /** Prefix of the uploads, such as `s3://media/uploads/`; undefined if the server accepts none. */
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
  const sweep = async () => uploads?.sweep();
  const stop = sweepRegularly(sweep, log, 'Unfinished uploads at the store are not removed');
  return { uploads, links: new BucketLinks({ stores, prefixes, uploads, log }), stop };
}
