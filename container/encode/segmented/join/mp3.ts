import { CannotJoin } from './cannot-join.ts';
import { OutputFile } from '../../../formats/output-file.ts';
import { frameIn, sumUp, type SegmentFile, type Joined } from './joined.ts';
import { FrameFile } from '../../../formats/mp3/frame-file.ts';
import { FrameWriter } from '../../../formats/mp3/frame-writer.ts';
import { InfoCounter } from '../../../formats/mp3/info-frame.ts';
import { findMp3Seam, type Mp3Seam } from './mp3-seam.ts';

async function findSeams(segments: readonly SegmentFile[], files: readonly FrameFile[]): Promise<Mp3Seam[]> {
  const seams: Mp3Seam[] = [];
  for (let index = 1; index < segments.length; index += 1) {
    const [earlier, later] = [segments[index - 1], segments[index]];
    const [earlierFile, laterFile] = [files[index - 1], files[index]];
    if (!earlier || !later || !earlierFile || !laterFile) continue;
    const seam = await findMp3Seam(earlierFile, frameIn(earlier, later.cut), laterFile, frameIn(later, later.cut));
    if (seam === undefined) throw new CannotJoin(`no place at seam ${index} where both encoders say the same`);
    seams.push(seam);
  }
  return seams;
}

/** Puts the segments together to the very file that one encoder would have written. */
export async function joinMp3(segments: readonly SegmentFile[], outputPath: string): Promise<Joined> {
  const files: FrameFile[] = [];
  try {
    for (const { path } of segments) files.push(await FrameFile.open(path));
    const [first, last] = [files[0], files.at(-1)];
    if (first === undefined || last === undefined) throw new CannotJoin('there are no segments');
    const seams = await findSeams(segments, files);
    const output = await OutputFile.create(outputPath);
    try {
      await output.append(first.id3);
      await output.append(first.info);
      const counter = new InfoCounter(first.info.length);
      const writer = new FrameWriter(output, counter);
      for (const [index, file] of files.entries()) {
        const begin = seams[index - 1];
        const end = seams[index]?.earlier ?? file.frameCount;
        const from = begin?.later ?? 0;
        await writer.appendFirst(await file.frame(from), begin?.reservoir ?? Buffer.alloc(0));
        for (let frame = from + 1; frame < end; frame += 1) await writer.append(await file.frame(frame));
      }
      await writer.finish();
      await output.overwrite(first.id3.length, counter.fill(first.info, last.info));
      await output.close();
      return sumUp(segments, seams, counter.frames);
    } catch (error) {
      await output.abandon();
      throw error;
    }
  } finally {
    for (const file of files) await file.close();
  }
}
