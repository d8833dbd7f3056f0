export interface PictureMeasures {
  /** Share of nearly black pixels. */
  dark: number;
  /** Luma range without the darkest and brightest 5 % of the pixels. */
  contrast: number;
  /** Standard deviation of the Laplacian: high with edges, low with blur and fades. */
  sharpness: number;
  /** Share of pixels per luma bin of 8 steps. */
  histogram: readonly number[];
}

/** The default of ffmpeg's blackdetect: 0.1 of the whole range. */
const darkBelow = 26;

const stepOfHistogram = 8;

/** Measures a picture of one byte per pixel, row by row (pure). */
export function measurePicture(pixels: Uint8Array, width: number): PictureMeasures {
  const height = pixels.length / width;
  const counts = new Uint32Array(256);
  for (const value of pixels) counts[value] = (counts[value] ?? 0) + 1;
  const histogram = Array.from({ length: 256 / stepOfHistogram }, (_, step) => {
    const from = step * stepOfHistogram;
    return counts.subarray(from, from + stepOfHistogram).reduce((sum, count) => sum + count, 0) / pixels.length;
  });
  return {
    dark: counts.subarray(0, darkBelow).reduce((sum, count) => sum + count, 0) / pixels.length,
    contrast: valueAbove(counts, 0.95 * pixels.length) - valueAbove(counts, 0.05 * pixels.length),
    sharpness: laplacianDeviation(pixels, width, height),
    histogram,
  };
}

/** Smallest luma that at most `pixels` pixels exceed. */
function valueAbove(counts: Uint32Array, pixels: number): number {
  let seen = 0;
  return counts.findIndex((count) => (seen += count) >= pixels);
}

/** Focus measure of microscopes and cameras: "variation of the Laplacian", over each pixel's four neighbours. */
function laplacianDeviation(pixels: Uint8Array, width: number, height: number): number {
  let [sum, squares] = [0, 0];
  for (let row = 1; row < height - 1; row += 1) {
    for (let at = row * width + 1; at < (row + 1) * width - 1; at += 1) {
      const around =
        (pixels[at - 1] ?? 0) + (pixels[at + 1] ?? 0) + (pixels[at - width] ?? 0) + (pixels[at + width] ?? 0);
      const laplacian = around - 4 * (pixels[at] ?? 0);
      sum += laplacian;
      squares += laplacian * laplacian;
    }
  }
  const count = Math.max(1, (width - 2) * (height - 2));
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}
