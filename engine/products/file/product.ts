import { finishFile, tagProduct } from './finish-product.ts';
import { makeOutputs } from './make-product.ts';
import { planFile } from './plan-product.ts';

/** An output that is one encoded file. */
export const fileProduct = { plan: planFile, make: makeOutputs, tag: tagProduct, finish: finishFile };
