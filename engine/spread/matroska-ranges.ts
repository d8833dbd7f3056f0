import { open } from 'node:fs/promises';
import type { PacketPlace } from '../ffmpeg/packet-places.ts';
import { buildVoidHeader, type MatroskaLayout } from './matroska-layout.ts';
import { type ByteRange, joinRanges, missingRanges } from './byte-ranges.ts';
import type { PartialFile } from './partial-file.ts';

/**
 * Ranges of a Matroska file with all clusters that have one of these packets, and with everything that is not a
 * cluster. The file is valid without the other clusters. `first`: packets that ffprobe reads to describe the file.
 */
export function matroskaRanges(
  { clusters, others }: MatroskaLayout,
  first: readonly PacketPlace[],
  packets: readonly PacketPlace[],
): ByteRange[] {
  const clustersOf = (places: readonly PacketPlace[], from: number): ByteRange[] => {
    const end = places.reduce((last, { position, size }) => Math.max(last, position + size), 0);
    return clusters.filter((cluster) => cluster.end > from && cluster.from < end);
  };
  const start = packets.reduce((least, { position }) => Math.min(least, position), Infinity);
  return joinRanges([...others, ...clustersOf(first, 0), ...clustersOf(packets, start)]);
}

/**
 * Fetches these ranges of a Matroska file, which begin and end between its elements. An element that readers skip takes
 * the place of the others. Returns false if a range is not in the file.
 */
export async function bringMatroska(file: PartialFile, ranges: readonly ByteRange[]): Promise<boolean> {
  if (!ranges.every(({ from, end }) => from < end && end <= file.size)) return false;
  await file.bring(ranges);
  const handle = await open(file.path, 'r+');
  try {
    for (const { from, end } of missingRanges([{ from: 0, end: file.size }], joinRanges(ranges))) {
      const header = buildVoidHeader(end - from);
      await handle.write(header, 0, header.length, from);
    }
  } finally {
    await handle.close();
  }
  return true;
}
