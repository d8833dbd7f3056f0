import type { FinishedProduct } from '../product/finished-product.ts';
import type { MadeImage } from './make-product.ts';

/** The files of an image are read back when they are made. */
export function finishImage({ product, image }: MadeImage): FinishedProduct {
  return { facts: { ...product.named, ...image.facts }, files: image.files };
}
