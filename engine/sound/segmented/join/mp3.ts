import { FrameFile } from '../../../formats/mp3/frame-file.ts';
import { FrameWriter } from '../../../formats/mp3/frame-writer.ts';
import { InfoCounter } from '../../../formats/mp3/info-counter.ts';
import { OutputFile } from '../../../formats/output-file.ts';
import { type Parts, segmentJoiner } from './join-segments.ts';
import { findMp3Seam, type Mp3Seam } from './mp3-seam.ts';

const noReservoir = Buffer.alloc(0);

async function write(parts: Parts<FrameFile, Mp3Seam>, outputPath: string): Promise<void> {
  const first = parts[0].reader;
  const last = (parts.at(-1) ?? parts[0]).reader;
  await OutputFile.write(outputPath, async (output) => {
    await output.append(first.tag);
    await output.append(first.infoFrame);
    const counter = new InfoCounter(first.infoFrame.length);
    const writer = new FrameWriter(output, counter);
    for (const { reader, seam, from, to } of parts) {
      await writer.appendFirst(await reader.frame(from), seam?.reservoir ?? noReservoir, seam?.surplus);
      for (let frame = from + 1; frame < to; frame += 1) await writer.append(await reader.frame(frame));
    }
    await writer.finish();
    await output.overwrite(first.tag.length, counter.buildInfoFrame(first.infoFrame, last.infoFrame));
  });
}

/**
 * Joins segments to the exact file that a single encoder would have written. With a variable bitrate, the frames after a
 * seam may have other sizes. Their sound is the same, unless it needs more than the largest frame.
 */
export const joinMp3 = segmentJoiner<FrameFile, Mp3Seam>({
  open: FrameFile.open,
  countFrames: (reader) => reader.frameCount,
  findSeam: findMp3Seam,
  seamCondition: 'where both encoders wrote the same',
  write,
});
