import { opusPacketSamples, opusSampleRate } from '../../../formats/ogg/opus.ts';
import { PacketFile } from '../../../formats/ogg/packet-file.ts';
import { PageWriter } from './page-writer.ts';
import { OutputFile } from '../../../formats/output-file.ts';
import { CannotJoin } from './cannot-join.ts';
import { type Parts, type Seam, segmentJoiner } from './join-segments.ts';
import { findOpusSeam } from './opus-seam.ts';

/** OpusHead and OpusTags (RFC 7845, 5). */
const headerPackets = 2;

async function write(parts: Parts<PacketFile, Seam>, outputPath: string): Promise<void> {
  const first = parts[0].reader;
  const last = parts.at(-1) ?? parts[0];
  if (parts.some(({ reader }) => !reader.headerPacket.equals(first.headerPacket))) {
    throw new CannotJoin('the Opus headers differ');
  }
  // Only the last segment knows where the audio ends within its last packet.
  const granuleAtEnd = last.reader.granulePosition + (last.segment.cut - last.segment.runIn) * opusPacketSamples;
  await OutputFile.write(outputPath, async (output) => {
    await output.append(first.headerPages);
    const writer = new PageWriter(output, first, { sampleRate: opusSampleRate });
    let packets = 0;
    for (const part of parts) {
      for (let packet = part.from; packet < part.to; packet += 1) {
        packets += 1;
        const isLast = part === last && packet === part.to - 1;
        await writer.append(await part.reader.packet(packet), isLast ? granuleAtEnd : packets * opusPacketSamples);
      }
    }
    await writer.finish();
  });
}

/** Joins segments to a file with the single run's length, pre-skip and pages. */
export const joinOpus = segmentJoiner<PacketFile, Seam>({
  open: (path) => PacketFile.open(path, headerPackets),
  countFrames: (reader) => reader.packetCount,
  findSeam: findOpusSeam,
  seamCondition: 'where the Opus mode stays the same',
  write,
});
