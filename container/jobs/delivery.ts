import type { FileUrls, WantedFile } from '../../contract/http/upload-urls.ts';

/** Finished files for which a job asks its caller for URLs (docs/reference/container-api.md, "Delivery on demand"). */
export interface Delivery {
  /** Files without a URL that their store accepts. */
  wanted(): WantedFile[];
  /** Takes all of the URLs, or throws and takes none. */
  accept(urls: readonly FileUrls[]): Promise<void>;
}
