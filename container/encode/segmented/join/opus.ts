import { CannotJoin } from './cannot-join.ts';
import { PacketFile } from '../../../formats/ogg/packet-file.ts';
import { PageWriter } from '../../../formats/ogg/page-writer.ts';
import { OutputFile } from '../../../formats/output-file.ts';
import { frameIn, sumUp, type Seam, type SegmentFile, type Joined } from './joined.ts';
import { findOpusSeam } from './opus-seam.ts';

/** OpusHead and OpusTags (RFC 7845, 5) */
const headerPackets = 2;

/** Samples at 48 kHz in a packet of 20 ms: what granule positions count, whatever the encoder's rate (RFC 7845, 4). */
const packetSamples = 960;

async function findSeams(segments: readonly SegmentFile[], files: readonly PacketFile[]): Promise<Seam[]> {
  const seams: Seam[] = [];
  for (let index = 1; index < segments.length; index += 1) {
    const [earlier, later] = [segments[index - 1], segments[index]];
    const [earlierFile, laterFile] = [files[index - 1], files[index]];
    if (!earlier || !later || !earlierFile || !laterFile) continue;
    const seam = await findOpusSeam(earlierFile, frameIn(earlier, later.cut), laterFile, frameIn(later, later.cut));
    if (seam === undefined) throw new CannotJoin(`the Opus mode changes all along seam ${index}`);
    seams.push(seam);
  }
  return seams;
}

/** Puts the segments together to a file of the single run's length, pre-skip and pages. */
export async function joinOpus(segments: readonly SegmentFile[], outputPath: string): Promise<Joined> {
  const files: PacketFile[] = [];
  try {
    for (const { path } of segments) files.push(await PacketFile.open(path, headerPackets));
    const [first, last] = [files[0], files.at(-1)];
    const lastSegment = segments.at(-1);
    if (!first || !last || !lastSegment) throw new CannotJoin('there are no segments');
    if (files.some(({ headerPacket }) => !headerPacket.equals(first.headerPacket))) {
      throw new CannotJoin('the Opus headers differ');
    }
    const seams = await findSeams(segments, files);
    // The last segment knows where the sound ends within its last packet.
    const granuleAtEnd = last.granulePosition + (lastSegment.cut - lastSegment.runIn) * packetSamples;
    const output = await OutputFile.create(outputPath);
    try {
      await output.append(first.headerPages);
      const writer = new PageWriter(output, first.serial, first.nextSequence);
      let packets = 0;
      for (const [index, file] of files.entries()) {
        const end = seams[index]?.earlier ?? file.packetCount;
        for (let packet = seams[index - 1]?.later ?? 0; packet < end; packet += 1) {
          packets += 1;
          const isLast = file === last && packet === end - 1;
          await writer.append(await file.packet(packet), isLast ? granuleAtEnd : packets * packetSamples);
        }
      }
      await writer.finish();
      await output.close();
      return sumUp(segments, seams, packets);
    } catch (error) {
      await output.abandon();
      throw error;
    }
  } finally {
    for (const file of files) await file.close();
  }
}
