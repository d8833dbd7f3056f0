interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A rectangle of one colour, shown for a time. */
export interface ShownRectangle extends Rectangle {
  /** Seconds. */
  from: number;
  to: number;
  /** Y, Cr, Cb, alpha */
  colour: readonly [number, number, number, number];
}

const bigEndian = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** (bytes - 1 - index)) % 256);

const word = (value: number): number[] => bigEndian(value, 2);

function segment(seconds: number, type: number, bytes: readonly number[]): Buffer {
  const ticks = Math.round(seconds * 90_000);
  return Buffer.from([
    0x50,
    0x47,
    ...bigEndian(ticks, 4),
    ...word(0),
    ...word(0),
    type,
    ...word(bytes.length),
    ...bytes,
  ]);
}

/** Composition segment of a display set: the canvas and the place of the object, if any. */
function composition(number: number, canvas: { width: number; height: number }, object?: Rectangle): number[] {
  const state = object === undefined ? 0 : 0x80;
  const objects = object === undefined ? [0] : [1, ...word(0), 0, 0, ...word(object.x), ...word(object.y)];
  return [...word(canvas.width), ...word(canvas.height), 0x10, ...word(number), state, 0, 0, ...objects];
}

/** Blu-ray subtitles (PGS) as a `.sup` file of rectangles in turn. `objectSize` is a false size of their pictures. */
export function makePgs(
  shown: readonly ShownRectangle[],
  canvas: { width: number; height: number },
  objectSize?: { width: number; height: number },
): Buffer {
  const segments = [segment(0, 0x16, composition(0, canvas)), segment(0, 0x80, [])];
  for (const [index, { from, to, colour, ...rectangle }] of shown.entries()) {
    const { x, y, width, height } = rectangle;
    const window = [1, 0, ...word(x), ...word(y), ...word(width), ...word(height)];
    // A line is a run of pixels of colour 1, and an end.
    const line = [0, 0xc0 | (width >> 8), width & 0xff, 1, 0, 0];
    const lines = Array.from({ length: height }, () => line).flat();
    const size = objectSize ?? { width, height };
    const object = [...word(0), 0, 0xc0, ...bigEndian(lines.length + 4, 3), ...word(size.width), ...word(size.height)];
    segments.push(
      segment(from, 0x16, composition(2 * index + 1, canvas, rectangle)),
      segment(from, 0x17, window),
      segment(from, 0x14, [0, 0, 1, ...colour]),
      segment(from, 0x15, [...object, ...lines]),
      segment(from, 0x80, []),
      segment(to, 0x16, composition(2 * index + 2, canvas)),
      segment(to, 0x17, window),
      segment(to, 0x80, []),
    );
  }
  return Buffer.concat(segments);
}
