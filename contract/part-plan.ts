import { maxParts } from './http/upload-urls.ts';

const mebibyte = 1024 ** 2;

export interface PartSizes {
  /** Larger files are uploaded in parts. */
  largestSinglePutBytes: number;
  usualPartBytes: number;
}

export const usualPartSizes: PartSizes = {
  // AWS recommends parts from here. A smaller file that fails is sent again in seconds.
  largestSinglePutBytes: 100 * mebibyte,
  // Large enough that the overhead of a request is negligible, small enough to retry. 10,000 parts are 312 GiB.
  usualPartBytes: 32 * mebibyte,
};

export interface PartPlan {
  /** bytes of every part but the last */
  partSize: number;
  parts: number;
}

/** Undefined if one PUT is enough. */
export function planParts(
  size: number,
  { largestSinglePutBytes, usualPartBytes }: PartSizes,
  mostParts = maxParts,
): PartPlan | undefined {
  if (size <= largestSinglePutBytes) return undefined;
  const partSize = Math.max(usualPartBytes, Math.ceil(size / mostParts / mebibyte) * mebibyte);
  return { partSize, parts: Math.ceil(size / partSize) };
}
