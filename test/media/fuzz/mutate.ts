import { piecesOf } from './pieces.ts';

/** A number in [0, 1). */
export type Random = () => number;

type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);

/** A random range, usually a short one. */
function range(bytes: Buffer, random: Random): [start: number, end: number] {
  const start = below(random, bytes.length);
  const length = 1 + below(random, bytes.length * random() ** 3);
  return [start, Math.min(bytes.length, start + length)];
}

function changed(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) change(copy);
  return copy;
}

const mutations: Record<string, Mutation> = {
  bits: (bytes, random) =>
    changed(bytes, (copy) => {
      for (let count = 1 + below(random, 30); count > 0; count -= 1) {
        const at = below(random, copy.length);
        copy[at] = (copy[at] ?? 0) ^ (1 << below(random, 8));
      }
    }),
  'bits of the head': (bytes, random) =>
    changed(bytes, (copy) => {
      for (let count = 1 + below(random, 6); count > 0; count -= 1)
        copy[below(random, Math.min(400, copy.length))] = below(random, 256);
    }),
  zeros: (bytes, random) => changed(bytes, (copy) => copy.fill(0, ...range(copy, random))),
  noise: (bytes, random) =>
    changed(bytes, (copy) => {
      const [start, end] = range(copy, random);
      for (let at = start; at < end; at += 1) copy[at] = below(random, 256);
    }),
  'end cut off': (bytes, random) => bytes.subarray(0, below(random, bytes.length)),
  'beginning cut off': (bytes, random) => bytes.subarray(below(random, bytes.length)),
  'part left out': (bytes, random) => {
    const [start, end] = range(bytes, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  'part twice': (bytes, random) => {
    const [start, end] = range(bytes, random);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  splice: (bytes, random, other) =>
    Buffer.concat([bytes.subarray(0, below(random, bytes.length)), other.subarray(below(random, other.length))]),
  'pieces swapped': (bytes, random) => {
    const pieces = piecesOf(bytes);
    const [left, right] = [below(random, pieces.length), below(random, pieces.length)];
    const swapped = pieces.map((piece, index) =>
      index === left ? pieces[right] : index === right ? pieces[left] : piece,
    );
    return Buffer.concat(swapped.filter((piece) => piece !== undefined));
  },
  'piece left out': (bytes, random) => {
    const pieces = piecesOf(bytes);
    return Buffer.concat(pieces.toSpliced(below(random, pieces.length), 1));
  },
  'piece twice': (bytes, random) => {
    const pieces = piecesOf(bytes);
    const at = below(random, pieces.length);
    return Buffer.concat(pieces.toSpliced(at, 0, ...pieces.slice(at, at + 1)));
  },
};

/** Damages a file in one to three ways, determined by the random numbers. */
export function mutate(bytes: Buffer, other: Buffer, random: Random): { bytes: Buffer; ways: string[] } {
  const names = Object.keys(mutations);
  const ways = Array.from({ length: 1 + below(random, 3) }, () => names[below(random, names.length)] ?? '');
  return { ways, bytes: ways.reduce((made, way) => mutations[way]?.(made, random, other) ?? made, bytes) };
}
