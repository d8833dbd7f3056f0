import { firstIndex } from '../../../first-index.ts';
import { MalformedFile } from '../../../formats/malformed-file.ts';
import { PacketFile } from '../../../formats/ogg/packet-file.ts';

/** Identification, comments and setup (Vorbis I, 4.2). */
const headerPackets = 3;

/** Offsets in the identification header of the rate, and of two exponents of four bits (Vorbis I, 4.2.2). */
const sampleRateAt = 12;
const blockSizesAt = 28;

function blockSizesOf(headerPacket: Buffer): { short: number; long: number } {
  const sizes = headerPacket[blockSizesAt] ?? 0;
  return { short: 2 ** (sizes & 15), long: 2 ** (sizes >> 4) };
}

/** A Vorbis file of libvorbis. Positions are in samples of the decoded sound. */
export class VorbisFile {
  readonly packets: PacketFile;
  /** Hz. */
  readonly sampleRate: number;
  /** Samples before the first position, which half of the first block overlaps. */
  readonly primingSamples: number;
  /** Position at the end of each packet. */
  readonly #ends: readonly number[];

  private constructor(packets: PacketFile, ends: readonly number[]) {
    const { headerPacket } = packets;
    this.packets = packets;
    this.#ends = ends;
    this.sampleRate = headerPacket.readUInt32LE(sampleRateAt);
    // libvorbis begins with a short block.
    this.primingSamples = blockSizesOf(headerPacket).short / 2;
  }

  static async open(path: string): Promise<VorbisFile> {
    const packets = await PacketFile.open(path, headerPackets);
    try {
      const { headerPacket, granulePosition } = packets;
      if (headerPacket.toString('latin1', 1, 7) !== 'vorbis') throw new MalformedFile('no Vorbis file');
      const ends = await readEnds(packets);
      const last = ends.at(-1) ?? 0;
      if (granulePosition > last) throw new MalformedFile('a Vorbis file whose packets are too short for its length');
      const bounded = ends.map((end) => Math.min(end, granulePosition));
      return new VorbisFile(packets, bounded);
    } catch (error) {
      await packets.close();
      throw error;
    }
  }

  get samples(): number {
    return this.#ends.at(-1) ?? 0;
  }

  /** Position at the end of a packet; undefined if there is no such packet. */
  endOf(packet: number): number | undefined {
    return this.#ends[packet];
  }

  /** First packet that ends behind a position. */
  packetBehind(position: number): number {
    return firstIndex(this.#ends.length, (packet) => (this.#ends[packet] ?? 0) > position);
  }

  async close(): Promise<void> {
    await this.packets.close();
  }
}

/**
 * A packet adds a quarter of its own block and of the one before it; the first one adds nothing (Vorbis I, 4.3.8).
 * libvorbis writes two modes, of which the second has long blocks, or one if both blocks are equally long. The mode
 * follows the first bit of a packet.
 */
async function readEnds(packets: PacketFile): Promise<number[]> {
  const { short, long } = blockSizesOf(packets.headerPacket);
  const ends: number[] = [];
  let before: number | undefined;
  for (let index = 0; index < packets.packetCount; index += 1) {
    const [first = 1] = await packets.packet(index);
    if ((first & 1) !== 0) throw new MalformedFile('a Vorbis packet that holds no sound');
    const block = (first & 2) !== 0 ? long : short;
    ends.push(before === undefined ? 0 : (ends[index - 1] ?? 0) + (before + block) / 4);
    before = block;
  }
  return ends;
}
