import type { Packet } from '../../ffmpeg/packet-list.ts';
import { readPictureIndex } from './picture-index.ts';
import type { PictureStream } from './picture-source.ts';

/** Codecs whose pictures are all key pictures, by ffprobe's names. */
const intraOnlyCodecs: ReadonlySet<string> = new Set([
  ...['dnxhd', 'dvvideo', 'ffvhuff', 'huffyuv', 'mjpeg', 'png', 'prores', 'rawvideo', 'utvideo', 'v210'],
]);

/**
 * Lists the packets of a picture stream from the index of its MP4 or MOV file, without reading the packets. Undefined
 * if that needs ffprobe. The packets equal those of ffprobe, except that no durations are stated.
 */
export async function listIndexedPackets({
  path,
  index,
  codec,
  timeBase,
}: Pick<PictureStream, 'path' | 'index' | 'codec' | 'timeBase'>): Promise<Packet[] | undefined> {
  const found = await readPictureIndex(path, index);
  if (found === undefined || timeBase.num !== 1 || timeBase.den !== found.timescale) return undefined;
  // Some writers forget the list of key pictures. ffmpeg then finds them in the packets of H.264, VP9 and AV1.
  if (!found.listsKeys && !intraOnlyCodecs.has(codec)) return undefined;
  return found.packets.map((packet) => ({ ...packet, duration: undefined, isHidden: false }));
}
