import { stat } from 'node:fs/promises';
import { analysisProduct } from './analysis/product.ts';
import type { TaggedFile } from './file/finish-product.ts';
import type { MadeFile } from './file/make-product.ts';
import { fileProduct } from './file/product.ts';
import type { FinishedProduct, FinishRun } from './product/finished-product.ts';
import { imageProduct } from './image/product.ts';
import type { MadeProduct } from './make-products.ts';
import { packageProduct } from './package/product.ts';

/** A product whose files have their final size, except for packages. */
export type TaggedProduct = TaggedFile | Exclude<MadeProduct, MadeFile>;

/** Writes tags into products that have them. */
export async function tagMadeProduct(made: MadeProduct, onAdvance: () => void): Promise<TaggedProduct> {
  return made.kind === 'file' ? await fileProduct.tag(made, onAdvance) : made;
}

/** Size of all files, or of the parts of a package. */
export async function sizeOf(made: MadeProduct): Promise<number> {
  const sizes = await Promise.all(pathsOf(made).map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function pathsOf(made: MadeProduct): string[] {
  switch (made.kind) {
    case 'file':
    case 'analysis':
    case 'silent_report':
      return [made.product.path];
    case 'package':
      return made.parts.map(({ part }) => part.path);
    case 'image':
      return made.image.files.map(({ path }) => path);
    case 'left_out':
      return [];
  }
}

/** Verifies a product, and lists its files. */
export async function finishProduct(made: TaggedProduct, run: FinishRun): Promise<FinishedProduct> {
  switch (made.kind) {
    case 'file':
      return await fileProduct.finish(made, run);
    case 'package':
      return await packageProduct.finish(made, run);
    case 'analysis':
      return analysisProduct.finish(made);
    case 'silent_report':
      return analysisProduct.finishReport(made);
    case 'image':
      return imageProduct.finish(made);
    case 'left_out': {
      const { code, message: error } = made.reason;
      return { facts: { ...made.named, leftOut: { code, error } }, files: [] };
    }
  }
}
