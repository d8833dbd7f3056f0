import type { EncodedOutput } from '../../../contract/http/output.ts';
import type { ProductFile } from '../product/finished-product.ts';
import type { Grab } from './grab-pictures.ts';

/** Surroundings of all images of a film; `path` is for scratch files. */
export type ImageJob = Pick<Grab, 'film' | 'path' | 'limits' | 'signal' | 'onProgress'>;

/** Files of an image, and its facts in addition to those of every output. */
export interface FilmImage {
  files: ProductFile[];
  facts: Pick<EncodedOutput, 'width' | 'height' | 'at' | 'duration' | 'contentType' | 'tiles'>;
}
