import { maxParts } from './http/upload-urls.ts';

const mebibyte = 1024 ** 2;

export interface PartSizes {
  /** A larger file goes in parts. */
  largestSinglePutBytes: number;
  usualPartBytes: number;
}

export const usualPartSizes: PartSizes = {
  // What AWS recommends parts from. A smaller file that breaks off is sent again in seconds.
  largestSinglePutBytes: 100 * mebibyte,
  // Large enough that a request costs nothing beside its bytes, small enough to be sent again. 10,000 of them are 312 GiB.
  usualPartBytes: 32 * mebibyte,
};

export interface PartPlan {
  /** bytes of every part but the last */
  partSize: number;
  parts: number;
}

/** Undefined where one PUT is enough. */
export function planParts(size: number, { largestSinglePutBytes, usualPartBytes }: PartSizes): PartPlan | undefined {
  if (size <= largestSinglePutBytes) return undefined;
  const partSize = Math.max(usualPartBytes, Math.ceil(size / maxParts / mebibyte) * mebibyte);
  return { partSize, parts: Math.ceil(size / partSize) };
}
