import { open } from 'node:fs/promises';
import type { Orientation } from './jpeg/orientation.ts';

/** The files of still images that are taken, by how they begin. */
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

/** Undefined for what is none of them. */
export async function readImageKind(path: string): Promise<ImageKind | undefined> {
  const head = Buffer.alloc(12);
  const handle = await open(path);
  await handle.read(head, 0, head.length, 0);
  await handle.close();
  return imageKinds.find(({ begins }) => begins(head));
}

/** ffmpeg's filters that bring a picture upright, each after a comma; ffmpeg 5.1 does not do it. */
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
