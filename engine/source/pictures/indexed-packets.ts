import type { Packet } from '../../ffmpeg/packet-list.ts';
import { readPictureIndex } from './picture-index.ts';
import type { PictureStream } from './picture-source.ts';

/**
 * Lists the packets of a picture stream from the index of its MP4 or MOV file, without reading the packets. Undefined
 * if that needs ffprobe. The packets equal those of ffprobe, except that no durations are stated.
 */
export async function listIndexedPackets({
  path,
  index,
  timeBase,
}: Pick<PictureStream, 'path' | 'index' | 'timeBase'>): Promise<Packet[] | undefined> {
  const found = await readPictureIndex(path, index);
  if (found === undefined || timeBase.num !== 1 || timeBase.den !== found.timescale) return undefined;
  return found.packets.map((packet) => ({ ...packet, duration: undefined, isHidden: false }));
}
