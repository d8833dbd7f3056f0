import { CannotJoin } from './cannot-join.ts';
import { OutputFile } from '../../../formats/output-file.ts';
import { frameIn, sumUp, type Seam, type SegmentFile, type Joined } from './joined.ts';
import { boxHeaderSize } from '../../../formats/isobmff/box.ts';
import { M4aFile } from '../../../formats/isobmff/m4a-file.ts';
import { rebuildMoov } from '../../../formats/isobmff/sample-table.ts';
import { findAacSeam } from './aac-seam.ts';

/** mdat with a size of 32 bits ends before this */
const maxFileSize = 2 ** 32 - 1;

async function findSeams(segments: readonly SegmentFile[], files: readonly M4aFile[]): Promise<Seam[]> {
  const seams: Seam[] = [];
  for (let index = 1; index < segments.length; index += 1) {
    const [earlier, later] = [segments[index - 1], segments[index]];
    const [earlierFile, laterFile] = [files[index - 1], files[index]];
    if (!earlier || !later || !earlierFile || !laterFile) continue;
    const seam = await findAacSeam(earlierFile, frameIn(earlier, later.cut), laterFile, frameIn(later, later.cut));
    if (seam === undefined) throw new CannotJoin(`no long windows of one shape at seam ${index}`);
    seams.push(seam);
  }
  return seams;
}

interface Part {
  file: M4aFile;
  from: number;
  to: number;
}

async function write(parts: readonly Part[], sizes: readonly number[], outputPath: string): Promise<void> {
  const [first, last] = [parts[0]?.file, parts.at(-1)?.file];
  if (first === undefined || last === undefined) throw new CannotJoin('there are no segments');
  const { before, moov, between } = first.surroundings;
  const { lastDuration } = last.table;
  const moovSize = rebuildMoov(moov, { sizes, lastDuration, dataAt: 0 }).length;
  const dataAt = before.length + moovSize + between.length;
  const dataSize = sizes.reduce((sum, size) => sum + size, 0);
  if (dataAt + dataSize > maxFileSize) throw new CannotJoin('an m4a of more than 4 GiB');
  const mdatHeader = Buffer.from(between);
  mdatHeader.writeUInt32BE(boxHeaderSize + dataSize, between.length - boxHeaderSize);
  const output = await OutputFile.create(outputPath);
  try {
    await output.append(before);
    await output.append(rebuildMoov(moov, { sizes, lastDuration, dataAt }));
    await output.append(mdatHeader);
    for (const { file, from, to } of parts) {
      for (let frame = from; frame < to; frame += 1) await output.append(await file.frame(frame));
    }
    await output.close();
  } catch (error) {
    await output.abandon();
    throw error;
  }
}

/** Puts the segments together to an m4a of the single run's length, priming and layout, its index before its frames. */
export async function joinAac(segments: readonly SegmentFile[], outputPath: string): Promise<Joined> {
  const files: M4aFile[] = [];
  try {
    for (const { path } of segments) files.push(await M4aFile.open(path));
    const seams = await findSeams(segments, files);
    const parts = files.map((file, index): Part => ({
      file,
      from: seams[index - 1]?.later ?? 0,
      to: seams[index]?.earlier ?? file.frameCount,
    }));
    const sizes = parts.flatMap(({ file, from, to }) => file.table.sizes.slice(from, to));
    await write(parts, sizes, outputPath);
    return sumUp(segments, seams, sizes.length);
  } finally {
    for (const file of files) await file.close();
  }
}
