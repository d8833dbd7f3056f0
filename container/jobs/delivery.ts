import type { FileUrls, WantedFile } from '../../contract/http/upload-urls.ts';

/** The files that a job has ready, for which it asks its caller where they go (docs/reference/container-api.md, "Delivery on demand"). */
export interface Delivery {
  /** Those without URLs. */
  wanted(): WantedFile[];
  /** Takes all of them, or throws and takes none. */
  accept(urls: readonly FileUrls[]): Promise<void>;
}
