import { writeFile } from 'node:fs/promises';
import { moveClockReference, moveTicks } from '../../../../engine/source/transport-stream/packet.ts';

/** A packet of a stream that starts a picture (0xE0) or a piece of sound (0xC0). Times are in seconds. */
export interface UnitPacket {
  stream: number;
  kind: number;
  shown: number;
  decoded?: number;
  /** Clock reference. */
  reference?: number;
}

const ticks = (seconds: number): number => Math.round(seconds * 90_000);

/** Builds transport streams, whose packets are counted per stream. */
export class StreamBuilder {
  readonly #counts = new Map<number, number>();
  readonly #packets: Buffer[] = [];

  add({ stream, kind, shown, decoded = shown, reference = shown }: UnitPacket): this {
    const packet = Buffer.alloc(188, 0xff);
    const count = this.#counts.get(stream) ?? 0;
    this.#counts.set(stream, (count + 1) % 16);
    packet.set([0x47, 0x40 | (stream >> 8), stream & 0xff, 0x30 | count]);
    // The adaptation field holds a clock reference.
    packet.set([7, 0x10, 0, 0, 0, 0, 0, 0], 4);
    moveClockReference(packet, 6, ticks(reference));
    packet.set([0, 0, 1, kind, 0, 0, 0x80, 0xc0, 10, 0x30, 0, 0, 0, 0, 0x10, 0, 0, 0, 0], 12);
    moveTicks(packet, 21, ticks(shown));
    moveTicks(packet, 26, ticks(decoded));
    this.#packets.push(packet);
    return this;
  }

  /** Adds a second of ten pictures with a piece of sound after each. */
  addSecond(from: number): this {
    for (let index = 0; index < 10; index += 1) {
      const shown = from + index / 10;
      this.add({ stream: 256, kind: 0xe0, shown }).add({ stream: 257, kind: 0xc0, shown: shown + 0.03 });
    }
    return this;
  }

  build(): Buffer {
    return Buffer.concat(this.#packets);
  }
}

export async function writeStream(path: string, ...parts: readonly Buffer[]): Promise<string> {
  await writeFile(path, Buffer.concat(parts));
  return path;
}
