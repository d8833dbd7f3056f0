interface Size {
  width: number;
  height: number;
}

interface Place extends Size {
  x: number;
  y: number;
}

interface Framing {
  width?: number | undefined;
  height?: number | undefined;
  fit?: string | undefined;
}

/**
 * Place of a film in a drawing of the size `room`, as a preset frames the film. `shape` is the result's. The `whole`
 * picture stands in it, or a larger picture fills it.
 */
export function placeOfStill(
  { width, height, fit }: Framing,
  film: Size,
  room: Size,
): { shape: Place; whole?: Place; fill?: Place } {
  const isFixed = (fit === 'cover' || fit === 'blur') && width !== undefined && height !== undefined;
  if (!isFixed) {
    const shape = within(film, { ...room, x: 0, y: 0 }, Math.min);
    return { shape, whole: shape };
  }
  const shape = within({ width, height }, { ...room, x: 0, y: 0 }, Math.min);
  const fill = within(film, shape, Math.max);
  return fit === 'cover' ? { shape, fill } : { shape, fill, whole: within(film, shape, Math.min) };
}

/** Places a picture in the middle of a room. `Math.min` fits it in, `Math.max` fills the room. */
function within({ width, height }: Size, room: Place, choose: (one: number, other: number) => number): Place {
  const scale = choose(room.width / width, room.height / height);
  const size = { width: width * scale, height: height * scale };
  return { ...size, x: room.x + (room.width - size.width) / 2, y: room.y + (room.height - size.height) / 2 };
}
