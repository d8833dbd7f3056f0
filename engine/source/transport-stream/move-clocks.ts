import { open } from 'node:fs/promises';
import type { FilePart } from '../../formats/joined-parts.ts';
import { WindowedFile } from '../../formats/windowed-file.ts';
import { blockBytes, headBytes } from './clock-parts.ts';
import {
  findClockReference,
  findStride,
  findUnitTimes,
  moveClockReference,
  moveTicks,
  packetBytes,
  visitPackets,
} from './packet.ts';

/** A part of a transport stream, and the ticks to add to all its times. */
export interface MovedPart extends FilePart {
  by: number;
}

/** Copies a transport stream with its times moved. All other bytes stay the same. */
export async function moveClocks(
  path: string,
  target: string,
  parts: readonly MovedPart[],
  signal: AbortSignal,
): Promise<void> {
  const output = await open(target, 'wx');
  try {
    await WindowedFile.use(path, async (file) => {
      const stride = findStride(await file.read(0, headBytes)) ?? packetBytes;
      for (const { from, to, by } of parts) {
        for (let at = from; at < to;) {
          signal.throwIfAborted();
          const block = await file.read(at, Math.min(blockBytes, to - at));
          const used = visitPackets(block, stride, (packet) => movePacket(block, packet, by));
          // Less than a packet is left.
          const written = used > 0 ? block.subarray(0, used) : block;
          await output.writeFile(written);
          at += written.length;
        }
      }
    });
  } finally {
    await output.close();
  }
}

function movePacket(block: Buffer, at: number, by: number): void {
  const reference = findClockReference(block, at);
  if (reference !== undefined) moveClockReference(block, reference, by);
  const times = findUnitTimes(block, at);
  if (times === undefined) return;
  moveTicks(block, times.shownAt, by);
  if (times.decodedAt !== undefined) moveTicks(block, times.decodedAt, by);
}
