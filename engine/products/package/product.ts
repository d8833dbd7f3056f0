import { finishPackage } from './finish-product.ts';
import { collectParts } from './make-product.ts';
import { planPackageProduct } from './plan-product.ts';

/** Segments, playlists and manifests for HLS and DASH. */
export const packageProduct = { plan: planPackageProduct, make: collectParts, finish: finishPackage };
