import type { EncodedOutput } from '../../contract/http/output.ts';
import type { Grab } from './grab-pictures.ts';

/** What all images of a film are made with; `path` is where pictures may lie in between. */
export type ImageJob = Pick<Grab, 'film' | 'path' | 'limits' | 'signal' | 'onProgress'>;

/** What the answer tells of an image of a film, besides what it tells of every output. */
export type FilmImage = Pick<EncodedOutput, 'width' | 'height' | 'at' | 'duration'>;
