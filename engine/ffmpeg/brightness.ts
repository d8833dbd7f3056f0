import type { ProbedSideData } from './probed.ts';

/**
 * Peak brightness in cd/m²: of the brightest pixel if the file states it, else of the mastering display; undefined if
 * neither is stated.
 */
export function brightnessOf(sideData: readonly ProbedSideData[]): number | undefined {
  const content = sideData.map(({ max_content = 0 }) => max_content).find((value) => value > 0);
  if (content !== undefined) return content;
  const screens = sideData.map(({ max_luminance = '' }) => {
    const [num = 0, den = 1] = max_luminance.split('/').map(Number);
    return num / den;
  });
  return screens.find((value) => Number.isFinite(value) && value > 0);
}
