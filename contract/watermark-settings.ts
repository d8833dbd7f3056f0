import type { ContainerLink } from './http/tags.ts';
import type { ContainerWatermark, watermarkPlaces } from './http/watermark.ts';

/** Image over the pictures of an output, with defaults applied. */
export interface WatermarkSettings {
  link: ContainerLink;
  place: (typeof watermarkPlaces)[number];
  /** shares of the picture's width */
  size: number;
  margin: number;
  opacity: number;
}

/** Broadcast style by default: small, in a lower corner, with a margin. */
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
