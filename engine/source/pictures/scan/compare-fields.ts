/** A picture with one byte per pixel, luma only. */
export interface LumaPicture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** How well the fields of a picture and its predecessor fit together, as sums over moving pixels. */
export interface FieldComparison {
  /** Share of pixels that have moved. */
  movedShare: number;
  /** Distance of each line from its neighbours, which belong to the other field, within each picture. */
  before: number;
  after: number;
  /**
   * Distance between the lower field of the earlier picture and the upper field of the later one; `upperThenLower` is
   * the reverse.
   */
  lowerThenUpper: number;
  upperThenLower: number;
  /**
   * Distance of the later picture's lines from the next line: the smaller of the upper and lower lines' sums, as a
   * share of the larger.
   */
  pairing: number;
  /** Change of each field between the pictures, per pixel. */
  upperChange: number;
  lowerChange: number;
}

/** Luma steps that exceed the noise of a camera or an encoder. */
const motionSteps = 12;

/** Compares two consecutive pictures. */
export function compareFields(before: LumaPicture, after: LumaPicture): FieldComparison {
  const { width, height, pixels: one } = before;
  const { pixels: two } = after;
  const changes = { upper: 0, lower: 0 };
  const steps = { upper: 0, lower: 0 };
  let moved = 0;
  let ofBefore = 0;
  let ofAfter = 0;
  let lowerThenUpper = 0;
  let upperThenLower = 0;
  for (let line = 1; line < height - 1; line += 1) {
    let change = 0;
    let step = 0;
    let afterAmongBefore = 0;
    let beforeAmongAfter = 0;
    // This loop runs several hundred thousand times per picture; destructuring arrays here took ten times as long.
    for (let at = line * width; at < (line + 1) * width; at += 1) {
      const a = one[at] ?? 0;
      const b = two[at] ?? 0;
      const aAbove = one[at - width] ?? 0;
      const bAbove = two[at - width] ?? 0;
      const aBelow = one[at + width] ?? 0;
      const bBelow = two[at + width] ?? 0;
      const difference = Math.abs(a - b);
      change += difference;
      const isStill =
        difference < motionSteps && Math.abs(aAbove - bAbove) < motionSteps && Math.abs(aBelow - bBelow) < motionSteps;
      if (isStill) continue;
      moved += 1;
      step += Math.abs(b - bBelow);
      ofBefore += Math.abs(aAbove + aBelow - 2 * a);
      ofAfter += Math.abs(bAbove + bBelow - 2 * b);
      afterAmongBefore += Math.abs(aAbove + aBelow - 2 * b);
      beforeAmongAfter += Math.abs(bAbove + bBelow - 2 * a);
    }
    const field = line % 2 === 0 ? 'upper' : 'lower';
    changes[field] += change;
    steps[field] += step;
    lowerThenUpper += field === 'upper' ? afterAmongBefore : beforeAmongAfter;
    upperThenLower += field === 'upper' ? beforeAmongAfter : afterAmongBefore;
  }
  const perField = (width * (height - 2)) / 2;
  const perMoved = Math.max(1, moved);
  return {
    movedShare: moved / (perField * 2),
    before: ofBefore / perMoved,
    after: ofAfter / perMoved,
    lowerThenUpper: lowerThenUpper / perMoved,
    upperThenLower: upperThenLower / perMoved,
    pairing: Math.min(steps.upper, steps.lower) / Math.max(1, steps.upper, steps.lower),
    upperChange: changes.upper / perField,
    lowerChange: changes.lower / perField,
  };
}
