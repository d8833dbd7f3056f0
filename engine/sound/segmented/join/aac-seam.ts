import type { Seam } from './join-segments.ts';
import type { M4aFile } from '../../../formats/isobmff/m4a-file.ts';
import { haveSameLongWindow, readWindow } from '../../../formats/aac/frame.ts';

/** Number of frames after the cut that are tried. */
const seamSearchFrames = 50;

/**
 * Frames of AAC-LC depend on each other only through the overlap of their windows (ISO/IEC 14496-3, 4.6.11). A seam is
 * therefore possible where both encoders use long windows of one shape on both sides, so that the overlapping halves
 * fit. The seam is where both rate controls agree most closely on frame sizes.
 */
export async function findAacSeam(
  earlierFile: M4aFile,
  earlierCut: number,
  laterFile: M4aFile,
  laterCut: number,
): Promise<Seam | undefined> {
  const pairAt = async (offset: number): Promise<[Buffer, Buffer] | undefined> => {
    const [earlier, later] = [earlierCut + offset, laterCut + offset];
    if (earlier >= earlierFile.frameCount || later >= laterFile.frameCount) return undefined;
    return [Buffer.from(await earlierFile.frame(earlier)), Buffer.from(await laterFile.frame(later))];
  };
  let before = await pairAt(-1);
  let best: { offset: number; difference: number; isExact: boolean } | undefined;
  for (let offset = 0; offset < seamSearchFrames; offset += 1) {
    const here = await pairAt(offset);
    if (before === undefined || here === undefined) break;
    const fits = haveSameLongWindow(...before) && haveSameLongWindow(...here);
    if (fits && readWindow(before[0])?.shape === readWindow(here[0])?.shape) {
      const difference = sizeDifference(before) + sizeDifference(here);
      const isExact = before[0].equals(before[1]) && here[0].equals(here[1]);
      if (best === undefined || difference < best.difference) best = { offset, difference, isExact };
    }
    before = here;
  }
  if (best === undefined) return undefined;
  const { offset, isExact } = best;
  return { earlier: earlierCut + offset, later: laterCut + offset, isExact };
}

/** Difference in size of two frames, as a share of both. */
function sizeDifference([a, b]: readonly [Buffer, Buffer]): number {
  return Math.abs(a.length - b.length) / Math.max(1, a.length + b.length);
}
