import { finishImage } from './finish-product.ts';
import { drawImages } from './make-product.ts';
import { planImage } from './plan-product.ts';

/** Pictures of a film, or sheets of them. */
export const imageProduct = { plan: planImage, make: drawImages, finish: finishImage };
