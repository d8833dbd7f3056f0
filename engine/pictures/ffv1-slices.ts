import type { Size } from '../ffmpeg/size.ts';

/** Slices that are decoded in parallel, each with a checksum. */
const usualSlices = 16;

/** Sides of pictures that may have a single slice. */
const [mostWidthOfOne, mostHeightOfOne] = [352, 288];

/** Pairs that the encoder tries: down, and across up to twice as many. */
const grids = Array.from({ length: 8 }, (_, index) => index + 1).flatMap((down) =>
  Array.from({ length: down }, (_, more) => ({ down, across: down + more })),
);

/** Base-2 logarithms of the pixels that share a colour, side by side and one below the other. */
const sharedPixels: Readonly<Record<string, { across: number; down: number }>> = {
  '420': { across: 1, down: 1 },
  '422': { across: 1, down: 0 },
  '440': { across: 0, down: 1 },
  '411': { across: 2, down: 0 },
  '410': { across: 2, down: 2 },
};

function sharedColour(pixelFormat: string): { across: number; down: number } {
  const [, sampling = ''] = /^yuva?(4\d\d)/.exec(pixelFormat) ?? [];
  return sharedPixels[sampling] ?? { across: 0, down: 0 };
}

/**
 * The last part of a side that ends within shared pixels must end within them too (`ff_need_new_slices`). Slices of a
 * single line of pixels become black.
 */
function isDivisible(side: number, parts: number, shared: number): boolean {
  const pixels = 2 ** shared;
  const last = side - Math.floor((side * (parts - 1)) / parts);
  const isWide = parts * 2 <= side && parts <= Math.ceil(side / pixels);
  return isWide && (side % pixels === 0 || last % pixels !== 0);
}

/**
 * Number of slices, as near to the usual as libavcodec 59 allows for this size (`encode_init` of `ffv1enc.c`); undefined
 * if it allows none.
 */
export function chooseSlices({ width, height }: Size, pixelFormat: string): number | undefined {
  const shared = sharedColour(pixelFormat);
  const leastDown = Math.min(
    width > mostWidthOfOne || height > mostHeightOfOne ? 2 : 1,
    Math.ceil(height / 2 ** shared.down),
  );
  const counts = grids.flatMap(({ across, down }) =>
    down >= leastDown && isDivisible(width, across, shared.across) && isDivisible(height, down, shared.down)
      ? across * down
      : [],
  );
  const [nearest] = counts.toSorted((one, other) => Math.abs(one - usualSlices) - Math.abs(other - usualSlices));
  return nearest;
}
