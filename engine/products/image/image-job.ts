import type { EncodedOutput } from '../../../contract/http/output.ts';
import type { Grab } from './grab-pictures.ts';

/** What all images of a film are made with; `path` is where pictures may lie in between. */
export type ImageJob = Pick<Grab, 'film' | 'path' | 'limits' | 'signal' | 'onProgress'>;

export interface ImageFile {
  /** Empty where the image is one file. */
  name: string;
  path: string;
  contentType: string;
  /** seconds from the beginning of the film, of the picture in it */
  at?: number;
}

/** A finished image of a film: its files, and what the answer tells of it besides what it tells of every output. */
export interface FilmImage {
  files: ImageFile[];
  facts: Pick<EncodedOutput, 'width' | 'height' | 'at' | 'duration' | 'contentType' | 'tiles'>;
}
