import type { FrameFile } from '../../../formats/mp3/frame-file.ts';
import type { Seam } from './join-segments.ts';
import { slotOf, type Frame } from '../../../formats/mp3/frame.ts';

/** Number of frames after the cut that are tried: the earlier segment's run-out, except its last frames. */
const seamSearchFrames = 50;

/** Consecutive frames that must be equal in both files; the first of them precedes the seam. */
const agreeingFrames = 8;

/** Frames before the cut whose slots hold any reservoir (at most 511 bytes), even at 8 kbit/s. */
const reservoirFrames = 100;

/** Returns the `length` bytes of main data before the slot of frame `index`. */
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

/** A frame's header and side information, without the bitrate and main_data_begin if these do not matter. */
function readSide({ header, bytes }: Frame, isVariable: boolean): Buffer {
  const side = Buffer.from(bytes.subarray(0, header.mainDataAt));
  if (!isVariable) return side;
  // Bitrate and padding.
  side[2] = (side[2] ?? 0) & 0x0d;
  // main_data_begin has nine bits in MPEG-1, else eight.
  side[4] = 0;
  if (header.isMpeg1) side[5] = (side[5] ?? 0) & 0x7f;
  return side;
}

/**
 * The parts of a frame that a decoder uses: header, side information and main data without filler. The encoder of a
 * constant bitrate continues according to its reservoir, so main_data_begin belongs to them.
 */
function readContent(frames: readonly Frame[], index: number, isVariable: boolean): Buffer | undefined {
  const frame = frames[index];
  const reservoir = frame && reservoirBefore(frames, index, frame.mainDataBegin);
  if (frame === undefined || reservoir === undefined) return undefined;
  const mainData = Buffer.concat([reservoir, slotOf(frame)]).subarray(0, Math.ceil(frame.mainDataBits / 8));
  const unused = mainData.length * 8 - frame.mainDataBits;
  const last = mainData.length - 1;
  if (last >= 0) mainData[last] = (mainData[last] ?? 0) & (0xff << unused);
  return Buffer.concat([readSide(frame, isVariable), mainData]);
}

export interface Mp3Seam extends Seam {
  /** Contents of the later file's bit reservoir at the seam. */
  reservoir: Buffer;
  /** Bytes by which the earlier file's reservoir is larger. */
  surplus: number;
}

/**
 * Finds the first position at or after the cut where both encoders wrote the same, at a constant bitrate reservoirs
 * included. From there on, the later encoder writes what the earlier one would have written. At a variable bitrate each
 * frame takes the bits that its sound needs, and its size depends on the reservoir. There the earlier file must have
 * room for the later one's reservoir. `earlierCut` and `laterCut` are the cut's frame in each file.
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
  const isVariable = earlierFile.isVariable || laterFile.isVariable;
  const isSame = (offset: number): boolean => {
    const a = readContent(earlier.frames, earlier.cutAt + offset, isVariable);
    const b = readContent(later.frames, later.cutAt + offset, isVariable);
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
    const surplus = (earlier.frames[earlier.cutAt + seam]?.mainDataBegin ?? 0) - reservoir.length;
    if (surplus < 0) continue;
    return { earlier: earlierCut + seam, later: laterCut + seam, isExact: true, reservoir, surplus };
  }
  return undefined;
}
