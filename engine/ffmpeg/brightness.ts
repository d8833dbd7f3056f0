import type { ProbedSideData } from './probed.ts';
import { parseRational, valueOf } from './rational.ts';

/**
 * Peak brightness in cd/m²: of the brightest pixel if the file states it, else of the mastering display; undefined if
 * neither is stated.
 */
export function brightnessOf(sideData: readonly ProbedSideData[]): number | undefined {
  const content = sideData.map(({ max_content = 0 }) => max_content).find((value) => value > 0);
  if (content !== undefined) return content;
  const screen = sideData.map(({ max_luminance }) => parseRational(max_luminance)).find((value) => value !== undefined);
  return screen && valueOf(screen);
}
