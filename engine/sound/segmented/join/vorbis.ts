import { PageWriter } from './page-writer.ts';
import { VorbisFile } from './vorbis-file.ts';
import { OutputFile } from '../../../formats/output-file.ts';
import { CannotJoin } from './cannot-join.ts';
import { type Parts, type Seam, segmentJoiner } from './join-segments.ts';
import { findVorbisSeam } from './vorbis-seam.ts';

async function write(parts: Parts<VorbisFile, Seam>, outputPath: string): Promise<void> {
  const { packets: first, sampleRate, primingSamples } = parts[0].reader;
  if (parts.some(({ reader }) => !reader.packets.headerPacket.equals(first.headerPacket))) {
    throw new CannotJoin('the Vorbis headers differ');
  }
  await OutputFile.write(outputPath, async (output) => {
    await output.append(first.headerPages);
    const writer = new PageWriter(output, first, { sampleRate, primingSamples });
    let written = 0;
    for (const { reader, seam, from, to } of parts) {
      const start = written - from;
      // The first packet of a file ends where it begins.
      for (let packet = seam === undefined ? 0 : reader.packetBehind(from); ; packet += 1) {
        const end = reader.endOf(packet);
        if (end === undefined || end > to) break;
        written = start + end;
        await writer.append(await reader.packets.packet(packet), written);
      }
    }
    await writer.finish();
  });
}

/**
 * Joins segments to the file that a single encoder would have written. A frame is one sample of all channels.
 */
export const joinVorbis = segmentJoiner<VorbisFile, Seam>({
  open: VorbisFile.open,
  countFrames: (reader) => reader.samples,
  findSeam: findVorbisSeam,
  seamCondition: 'where both encoders wrote the same',
  write,
});
