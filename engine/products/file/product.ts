import { finishFile, tagProduct } from './finish-product.ts';
import { makeOutputs } from './make-product.ts';
import { planFile } from './plan-product.ts';

export const fileProduct = { plan: planFile, make: makeOutputs, tag: tagProduct, finish: finishFile };
