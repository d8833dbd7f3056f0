import type { FrameFile } from '../../../formats/mp3/frame-file.ts';
import type { Seam } from './join-segments.ts';
import { slotOf, type Frame } from '../../../formats/mp3/frame.ts';

/** How many frames past the cut are tried: of those that the earlier segment runs out over, all but its last ones. */
const seamSearchFrames = 50;

/** How many frames in a row must be the same in both files, the first of them before the seam. */
const agreeingFrames = 8;

/** Frames before the cut whose slots hold every reservoir (511 bytes at most), even at 8 kbit/s. */
const reservoirFrames = 100;

/** The `length` bytes of main data before the slot of frame `index`. */
function reservoirBefore(frames: readonly Frame[], index: number, length: number): Buffer | undefined {
  const parts: Buffer[] = [];
  let missing = length;
  for (let before = index - 1; missing > 0; before -= 1) {
    const frame = frames[before];
    if (frame === undefined) return undefined;
    const slot = slotOf(frame);
    parts.unshift(slot.subarray(Math.max(0, slot.length - missing)));
    missing -= slot.length;
  }
  return Buffer.concat(parts);
}

/** All of a frame that a decoder uses: header, side information with main_data_begin, and main data without the filler behind it. */
function readContent(frames: readonly Frame[], index: number): Buffer | undefined {
  const frame = frames[index];
  const reservoir = frame && reservoirBefore(frames, index, frame.mainDataBegin);
  if (frame === undefined || reservoir === undefined) return undefined;
  const mainData = Buffer.concat([reservoir, slotOf(frame)]).subarray(0, Math.ceil(frame.mainDataBits / 8));
  const unused = mainData.length * 8 - frame.mainDataBits;
  const last = mainData.length - 1;
  if (last >= 0) mainData[last] = (mainData[last] ?? 0) & (0xff << unused);
  return Buffer.concat([frame.bytes.subarray(0, frame.header.mainDataAt), mainData]);
}

export interface Mp3Seam extends Seam {
  /** what the later file has in its reservoir there */
  reservoir: Buffer;
}

/**
 * The first place at or after the cut where both encoders wrote the same, their reservoirs included: from there on the
 * later one writes what the earlier would have. `earlierCut` and `laterCut` are the cut's frame in each file.
 */
export async function findMp3Seam(
  earlierFile: FrameFile,
  earlierCut: number,
  laterFile: FrameFile,
  laterCut: number,
): Promise<Mp3Seam | undefined> {
  const window = async (file: FrameFile, cut: number): Promise<{ frames: Frame[]; cutAt: number }> => {
    const from = Math.max(0, cut - reservoirFrames);
    return { frames: await file.frames(from, cut + seamSearchFrames + agreeingFrames), cutAt: cut - from };
  };
  const earlier = await window(earlierFile, earlierCut);
  const later = await window(laterFile, laterCut);
  const isSame = (offset: number): boolean => {
    const a = readContent(earlier.frames, earlier.cutAt + offset);
    const b = readContent(later.frames, later.cutAt + offset);
    return a !== undefined && b !== undefined && a.equals(b);
  };
  let agreed = 0;
  for (let offset = -1; offset < seamSearchFrames; offset += 1) {
    agreed = isSame(offset) ? agreed + 1 : 0;
    if (agreed < agreeingFrames) continue;
    const seam = offset - agreeingFrames + 2;
    const first = later.frames[later.cutAt + seam];
    const reservoir = first && reservoirBefore(later.frames, later.cutAt + seam, first.mainDataBegin);
    if (reservoir === undefined) return undefined;
    return { earlier: earlierCut + seam, later: laterCut + seam, isExact: true, reservoir };
  }
  return undefined;
}
