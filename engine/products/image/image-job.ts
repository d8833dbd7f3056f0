import type { EncodedOutput } from '../../../contract/http/output.ts';
import type { ProductFile } from '../finished-product.ts';
import type { Grab } from './grab-pictures.ts';

/** What all images of a film are made with; `path` is where pictures may lie in between. */
export type ImageJob = Pick<Grab, 'film' | 'path' | 'limits' | 'signal' | 'onProgress'>;

/** A finished image of a film: its files, and what the answer tells of it besides what it tells of every output. */
export interface FilmImage {
  files: ProductFile[];
  facts: Pick<EncodedOutput, 'width' | 'height' | 'at' | 'duration' | 'contentType' | 'tiles'>;
}
