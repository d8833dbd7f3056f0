import type { LevelledFile } from '../../sound/loudness/encode-at-loudness.ts';
import type { EncodeTarget } from '../../plan/encoded-file.ts';
import type { StoryboardPlan } from '../image/film-image-plan.ts';
import type { FilmImage } from '../image/image-job.ts';
import type { ImageTarget } from '../image/plan-product.ts';
import { layOutTiles } from '../image/tile-plan.ts';
import type { Thumbnails } from './offer-thumbnails.ts';
import type { PackagePart } from './package-plan.ts';
import type { PackageProduct } from './plan-product.ts';

/** Encoded parts; they are packaged after verification. */
export interface MadePackage {
  kind: 'package';
  product: PackageProduct;
  parts: { part: PackagePart; encoded: LevelledFile }[];
  thumbnails: Thumbnails | undefined;
}

export function collectParts(
  product: PackageProduct,
  encodedOf: (target: EncodeTarget) => LevelledFile,
  imageOf: (target: ImageTarget) => FilmImage,
): MadePackage {
  const parts = product.plan.parts.map((part) => ({ part, encoded: encodedOf(part) }));
  const { thumbnails } = product;
  return { kind: 'package', product, parts, thumbnails: thumbnails && sheetsOf(thumbnails, imageOf(thumbnails)) };
}

/** Package players use the storyboard's sheets and none of its other files. */
function sheetsOf({ plan }: ImageTarget<StoryboardPlan>, { files }: FilmImage): Thumbnails {
  return {
    sheets: files.filter(({ contentType }) => contentType === 'image/jpeg'),
    size: plan.shape.size,
    tiles: { interval: plan.intervalMs / 1000, ...layOutTiles(plan.tiles) },
  };
}
