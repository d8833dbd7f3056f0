import { boxHeaderSize } from '../../../formats/isobmff/box.ts';
import { M4aFile } from '../../../formats/isobmff/m4a-file.ts';
import { rebuildMoov } from '../../../formats/isobmff/sample-table.ts';
import { OutputFile } from '../../../formats/output-file.ts';
import { findAacSeam } from './aac-seam.ts';
import { CannotJoin } from './cannot-join.ts';
import { type Parts, type Seam, segmentJoiner } from './join-segments.ts';

/** A 32-bit mdat must end before this offset. */
const maxFileSize = 2 ** 32 - 1;

async function write(parts: Parts<M4aFile, Seam>, outputPath: string): Promise<void> {
  const { before, moov, between } = parts[0].reader.surroundings;
  const { lastDuration } = (parts.at(-1) ?? parts[0]).reader.table;
  const sizes = parts.flatMap(({ reader, from, to }) => reader.table.sizes.slice(from, to));
  const moovSize = rebuildMoov(moov, { sizes, lastDuration, dataAt: 0 }).length;
  const dataAt = before.length + moovSize + between.length;
  const dataSize = sizes.reduce((sum, size) => sum + size, 0);
  if (dataAt + dataSize > maxFileSize) throw new CannotJoin('an m4a of more than 4 GiB');
  const mdatHeader = Buffer.from(between);
  mdatHeader.writeUInt32BE(boxHeaderSize + dataSize, between.length - boxHeaderSize);
  await OutputFile.write(outputPath, async (output) => {
    await output.append(before);
    await output.append(rebuildMoov(moov, { sizes, lastDuration, dataAt }));
    await output.append(mdatHeader);
    for (const { reader, from, to } of parts) {
      for (let frame = from; frame < to; frame += 1) await output.append(await reader.frame(frame));
    }
  });
}

/** Joins segments to an m4a with the single run's length, priming and layout, its index before its frames. */
export const joinAac = segmentJoiner<M4aFile, Seam>({
  open: M4aFile.open,
  countFrames: (reader) => reader.frameCount,
  findSeam: findAacSeam,
  seamCondition: 'with long windows of one shape',
  write,
});
