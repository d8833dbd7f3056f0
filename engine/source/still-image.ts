import { open } from 'node:fs/promises';
import { MediaError } from '../media-error.ts';
import type { Orientation } from '../formats/jpeg/orientation.ts';

/** Still image formats that are accepted, by their first bytes. */
const imageKinds = [
  {
    demuxer: 'jpeg_pipe',
    decoder: 'mjpeg',
    mimeType: 'image/jpeg',
    begins: (head: Buffer) => head.readUIntBE(0, 3) === 0xffd8ff,
  },
  {
    demuxer: 'png_pipe',
    decoder: 'png',
    mimeType: 'image/png',
    begins: (head: Buffer) => head.toString('latin1', 0, 8) === '\u0089PNG\r\n\u001a\n',
  },
  {
    demuxer: 'webp_pipe',
    decoder: 'webp',
    mimeType: undefined,
    begins: (head: Buffer) => /^RIFF[^]{4}WEBP$/.test(head.toString('latin1', 0, 12)),
  },
] as const;

export type ImageKind = (typeof imageKinds)[number];

/** Returns undefined for any other format. */
export async function readImageKind(path: string): Promise<ImageKind | undefined> {
  const head = Buffer.alloc(12);
  const handle = await open(path);
  await handle.read(head, 0, head.length, 0);
  await handle.close();
  return imageKinds.find(({ begins }) => begins(head));
}

/**
 * Reason why a file cannot be a source: pictures in the formats of still images, animated or not, are neither films nor
 * sound. Undefined for any other file.
 */
export async function findImageProblem(path: string): Promise<MediaError | undefined> {
  const kind = await readImageKind(path);
  if (kind === undefined) return undefined;
  const name = kind.decoder === 'mjpeg' ? 'JPEG' : kind.decoder === 'png' ? 'PNG' : 'WebP';
  return new MediaError(
    'unsupported_format',
    `The source is a picture or an animation in ${name}. Holdfast encodes films, sound and GIF animations.`,
  );
}

/** ffmpeg filters that turn a picture upright, each with a leading comma. ffmpeg 5.1 does not do this itself. */
export const uprightFilters: Readonly<Record<Orientation, string>> = {
  1: '',
  2: ',hflip',
  3: ',hflip,vflip',
  4: ',vflip',
  5: ',transpose=cclock_flip',
  6: ',transpose=clock',
  7: ',transpose=clock_flip',
  8: ',transpose=cclock',
};
