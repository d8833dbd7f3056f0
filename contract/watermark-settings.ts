import type { ContainerLink } from './http/tags.ts';
import type { ContainerWatermark, watermarkPlaces } from './http/watermark.ts';

/** An image over the pictures of an output, with all defaults applied. */
export interface WatermarkSettings {
  link: ContainerLink;
  place: (typeof watermarkPlaces)[number];
  /** shares of the picture's width */
  size: number;
  margin: number;
  opacity: number;
}

/** A mark as broadcasters put it: small, in a lower corner, a little away from the edges. */
export function settleWatermark({
  url,
  headers,
  place = 'bottom-right',
  size = 0.15,
  opacity = 1,
  margin = 0.02,
}: ContainerWatermark): WatermarkSettings {
  return { link: { url, headers }, place, size, opacity, margin };
}
