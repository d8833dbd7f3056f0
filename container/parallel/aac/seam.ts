import type { M4aFile } from './m4a-file.ts';
import { haveSameLongWindow, readWindow } from './window.ts';

/** How many frames past the cut are tried. */
const seamSearchFrames = 50;

export interface AacSeam {
  /** the first frame that is taken from the later segment, counted in each file */
  earlier: number;
  later: number;
  isExact: boolean;
}

/**
 * Frames of AAC-LC stand alone but for the overlap of their windows (ISO/IEC 14496-3, 4.6.11): the change is where both
 * encoders have long windows of one shape before and after it, so that the halves that overlap fit.
 */
export async function findAacSeam(
  earlierFile: M4aFile,
  earlierCut: number,
  laterFile: M4aFile,
  laterCut: number,
): Promise<AacSeam | undefined> {
  const pairAt = async (offset: number): Promise<[Buffer, Buffer] | undefined> => {
    const [earlier, later] = [earlierCut + offset, laterCut + offset];
    if (earlier >= earlierFile.frameCount || later >= laterFile.frameCount) return undefined;
    return [await earlierFile.frame(earlier), await laterFile.frame(later)];
  };
  let before = await pairAt(-1);
  for (let offset = 0; offset < seamSearchFrames; offset += 1) {
    const here = await pairAt(offset);
    if (before === undefined || here === undefined) return undefined;
    const fits = haveSameLongWindow(...before) && haveSameLongWindow(...here);
    if (fits && readWindow(before[0])?.shape === readWindow(here[0])?.shape) {
      const isExact = before[0].equals(before[1]) && here[0].equals(here[1]);
      return { earlier: earlierCut + offset, later: laterCut + offset, isExact };
    }
    before = here;
  }
  return undefined;
}
