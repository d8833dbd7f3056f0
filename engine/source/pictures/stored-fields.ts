import { listLines } from '../../ffmpeg/packet-list.ts';
import { valueOf } from '../../ffmpeg/rational.ts';
import type { PictureStream } from './picture-source.ts';

/** Packets at the start of a film that are decoded. */
const decodedPackets = 12;

/** Decodes the start of a film. True if at most half as many pictures as packets are returned, and all are interlaced. */
async function pairsFields(path: string, streamIndex: number, signal: AbortSignal): Promise<boolean> {
  const what = ['-select_streams', String(streamIndex), '-show_entries', 'frame=interlaced_frame'];
  const parse = (line: string): boolean | undefined => (/^[01]/.test(line) ? line.startsWith('1') : undefined);
  const read = ['-read_intervals', `%+#${decodedPackets}`];
  const pictures = await listLines(path, [...what, ...read], parse, signal);
  return pictures.length > 0 && pictures.length * 2 <= decodedPackets && pictures.every(Boolean);
}

/**
 * Describes the pictures of an MP4 or MOV whose H.264 has a sample for each field, as ffmpeg copies a broadcast. The
 * file states the rate of its fields, and no order of fields, because a field alone has none.
 */
export async function describeFields(stream: PictureStream, signal: AbortSignal): Promise<PictureStream> {
  const { path, index, claimedRates, mayStoreFields } = stream;
  const [fields] = claimedRates.toSorted((one, other) => valueOf(other) - valueOf(one));
  if (mayStoreFields !== true || fields === undefined || !(await pairsFields(path, index, signal))) return stream;
  const claimed = [{ num: fields.num, den: fields.den * 2 }];
  return { ...stream, storesFields: true, isInterlaced: true, claimedRates: claimed };
}
