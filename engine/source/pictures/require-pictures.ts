import { MediaError } from '../../media-error.ts';
import { allowedPictureDecoders } from '../../ffmpeg/allowed.ts';
import { maxInputPixels } from '../../ffmpeg/guards.ts';
import type { PictureStream } from './picture-source.ts';

/** Decoders whose name differs from their codec's. */
const decoderOf: Readonly<Record<string, string>> = { av1: 'libdav1d', flv1: 'flv', msmpeg4v3: 'msmpeg4' };

/** Throws if the codec or the size of the pictures is not supported. */
function checkPictures({ codec, coded: { width, height }, pixelFormat, isForDolbyAlone }: PictureStream): void {
  const refuse = (reason: string, details = {}): MediaError =>
    new MediaError('undecodable_source', `The pictures of the source cannot be used: ${reason}.`, { details });
  if (!allowedPictureDecoders.includes(decoderOf[codec] ?? codec)) {
    throw refuse(`the video codec ${codec} is not supported`, { codec });
  }
  if (isForDolbyAlone) {
    throw refuse(
      'they are in Dolby Vision without a picture for other decoders (profile 5), which would show other colours',
    );
  }
  if (width < 1 || height < 1 || pixelFormat === 'unknown') throw refuse('their size cannot be read');
  if (width * height > maxInputPixels) {
    throw refuse(`they claim ${width}x${height} pixels, and the limit is 8192x4608`, { width, height });
  }
}

/** Throws if there are no pictures, or none that are supported. */
export function requirePictures(stream: PictureStream | undefined): PictureStream {
  if (stream === undefined) {
    throw new MediaError('no_video', 'The output needs pictures, and the source has no video stream.');
  }
  checkPictures(stream);
  return stream;
}
