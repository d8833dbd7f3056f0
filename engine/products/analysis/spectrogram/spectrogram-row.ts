import type { Color } from '../../../../contract/analysis-settings.ts';
import type { DrawRow } from '../image/png.ts';

/** dBFS of the darkest and brightest colour. 16-bit noise is near the dark end. */
const darkestDb = -120;
const brightestDb = 0;

/** Evenly spaced from dark to bright. Brightness rises throughout, so the image also reads in grayscale. */
const heat: readonly Color[] = [
  [0, 0, 8, 255],
  [40, 10, 92, 255],
  [122, 26, 109, 255],
  [200, 55, 74, 255],
  [245, 130, 40, 255],
  [250, 205, 80, 255],
  [255, 255, 224, 255],
];

function colorAt(share: number): Uint8Array {
  const place = Math.min(1, Math.max(0, share)) * (heat.length - 1);
  const index = Math.min(heat.length - 2, Math.floor(place));
  const [dark, bright] = [heat[index] ?? [], heat[index + 1] ?? []];
  return Uint8Array.from(dark, (part, channel) => Math.round(part + (place - index) * ((bright[channel] ?? 0) - part)));
}

const steps = 256;
const palette = Array.from({ length: steps }, (_, step) => colorAt(step / (steps - 1)));

/** Draws one row of `SpectrogramAccumulator`'s levels. */
export function spectrogramRow(levels: Float32Array, height: number): DrawRow {
  return (row, pixels) => {
    for (let column = 0; column * 4 < pixels.length; column += 1) {
      const level = levels[column * height + row] ?? -Infinity;
      const share = (Math.max(darkestDb, level) - darkestDb) / (brightestDb - darkestDb);
      const color = palette[Math.round(Math.min(1, share) * (steps - 1))];
      if (color !== undefined) pixels.set(color, column * 4);
    }
  };
}
