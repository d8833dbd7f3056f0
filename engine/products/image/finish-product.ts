import type { FinishedProduct } from '../product/finished-product.ts';
import type { MadeImage } from './make-product.ts';

/** The image's files were already read back when they were made. */
export function finishImage({ product, image }: MadeImage): FinishedProduct {
  return { facts: { ...product.named, ...image.facts }, files: image.files };
}
