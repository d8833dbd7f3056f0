import { join } from 'node:path';
import type { OutputSettings } from '../../contract/output-settings.ts';
import type { OutputNaming } from '../../contract/unsupported-output.ts';
import type { PictureLimits } from '../ffmpeg/limits.ts';
import { saysOfSource } from '../left-out.ts';
import type { MediaError } from '../media-error.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { requirePictures } from '../source/pictures/require-pictures.ts';
import type { Source } from '../source/source.ts';
import { sourceCovers } from '../tags/output-tags.ts';
import type { Work } from '../work.ts';
import type { AnalysisProduct, SilentReport } from './analysis/plan-product.ts';
import { analysisProduct } from './analysis/product.ts';
import type { FileProduct } from './file/plan-product.ts';
import { fileProduct } from './file/product.ts';
import type { ImageProduct } from './image/plan-product.ts';
import { imageProduct } from './image/product.ts';
import type { Linked } from './product/linked.ts';
import { checkFilesTogether } from './package/count-files-together.ts';
import type { PackageProduct } from './package/plan-product.ts';
import { packageProduct } from './package/product.ts';

/** An optional output that the source does not allow. */
export interface LeftOut extends OutputNaming {
  kind: 'left_out';
  reason: MediaError;
}

export type Product = FileProduct | PackageProduct | AnalysisProduct | SilentReport | ImageProduct | LeftOut;

/** Plans a product for each output, in the order of the request. */
export async function planProducts(
  outputs: readonly OutputSettings[],
  input: string,
  source: Source,
  linked: Linked,
  limits: PictureLimits,
  work: Work,
): Promise<Product[]> {
  const covers = sourceCovers(input, source.tags.picture, limits, work);
  const plan = async (output: OutputSettings, path: string): Promise<Product> => {
    switch (output.kind) {
      case 'file':
        return await fileProduct.plan(output, source, linked, covers, path);
      case 'package':
        return await packageProduct.plan(output, source, linked, limits, work, path);
      case 'analysis':
        return await orLeftOut(output, work.signal, () => analysisProduct.plan(output, source, path));
      case 'image':
        return await orLeftOut(output, work.signal, () => imageProduct.plan(output, picturesOf(source), limits, path));
    }
  };
  const products: Product[] = [];
  // Trial encodes take minutes, so the outputs without them are planned and checked first.
  for (const isTried of [false, true]) {
    for (const [index, output] of outputs.entries()) {
      if (hasTrials(output) !== isTried) continue;
      products[index] = await plan(output, join(work.folder, `output-${index}`));
    }
    checkFilesTogether(
      products.filter((product) => product.kind === 'package'),
      source,
    );
  }
  return products;
}

const hasTrials = (output: OutputSettings): boolean => output.kind === 'package' && output.isPerTitle;

/** The source was opened for its pictures; only an optional output can meet a problem with them. */
function picturesOf({ pictures, picturesProblem, pictureStream }: Source): PictureSource {
  if (pictures !== undefined) return pictures;
  if (picturesProblem !== undefined) throw picturesProblem;
  requirePictures(pictureStream);
  throw new Error('The pictures of the source were not read');
}

/** Plans or makes a product; an optional one that the source does not allow is left out. */
export async function orLeftOut<Made>(
  { label, named, isOptional }: OutputNaming & { isOptional: boolean },
  signal: AbortSignal,
  make: () => Made | Promise<Made>,
): Promise<Made | LeftOut> {
  try {
    return await make();
  } catch (reason) {
    if (!isOptional || !saysOfSource(reason, signal)) throw reason;
    return { kind: 'left_out', label, named, reason };
  }
}
