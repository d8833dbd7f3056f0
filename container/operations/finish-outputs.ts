import type { EncodedOutput } from '../../contract/http/output.ts';
import type { EncodeLimits } from '../../engine/ffmpeg/limits.ts';
import { finishProduct, sizeOf, tagMadeProduct, type TaggedProduct } from '../../engine/products/finish-products.ts';
import type { FinishedProduct, FinishRun, ProductFile } from '../../engine/products/product/finished-product.ts';
import type { MadeProduct } from '../../engine/products/make-products.ts';
import { runBoth } from '../../engine/pool.ts';
import type { Work } from '../../engine/work.ts';
import type { DeliveryTarget } from '../transfer/delivery-target.ts';
import { type Digest, digestFile } from '../transfer/digest.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';

interface DigestedFile extends ProductFile {
  digest: Digest;
}

/** Answer for an output, and its files in delivery order. */
export interface FinishedOutput {
  facts: EncodedOutput;
  files: DigestedFile[];
}

/** Tags all products and checks their sizes against their targets, then verifies and digests them one by one. */
export async function finishOutputs(
  products: readonly MadeProduct[],
  targets: readonly (DeliveryTarget | undefined)[],
  { transfer, limits }: { transfer: Pick<MediaTransfer, 'checkSize'>; limits: EncodeLimits },
  { folder, signal, advance }: Pick<Work, 'folder' | 'signal' | 'advance'>,
): Promise<FinishedOutput[]> {
  const tagged: TaggedProduct[] = [];
  for (const [index, made] of products.entries()) {
    const product = await tagMadeProduct(made, () => advance('verify', 0));
    transfer.checkSize(targets[index], await sizeOf(product));
    tagged.push(product);
  }
  const finished: FinishedOutput[] = [];
  for (const [index, product] of tagged.entries()) {
    let reached = 0;
    const onAdvance = (fraction = 0): void => {
      reached = Math.max(reached, Math.min(1, fraction));
      advance('verify', (index + reached) / products.length);
    };
    onAdvance();
    const { facts, digested } = await finishAndDigest(product, { limits, folder, signal, advance: onAdvance });
    finished.push({ facts: { ...facts, ...describeFiles(digested) }, files: digested });
  }
  return finished;
}

/** Verifies a product and digests its files. The only file of an output is digested while it is verified. */
async function finishAndDigest(
  product: TaggedProduct,
  run: FinishRun,
): Promise<{ facts: FinishedProduct['facts']; digested: DigestedFile[] }> {
  const { signal, advance } = run;
  const digest = async (path: string, either: AbortSignal): Promise<Digest> =>
    await digestFile(path, either, () => advance());
  if (product.kind === 'file') {
    const [finished, beside] = await runBoth(
      async (either) => await finishProduct(product, { ...run, signal: either }),
      async (either) => await digest(product.product.path, either),
      signal,
    );
    return { facts: finished.facts, digested: finished.files.map((file) => ({ ...file, digest: beside })) };
  }
  const { facts, files } = await finishProduct(product, run);
  const digested: DigestedFile[] = [];
  for (const file of files) digested.push({ ...file, digest: await digest(file.path, signal) });
  return { facts, digested };
}

function describeFiles(files: readonly DigestedFile[]): Pick<EncodedOutput, 'size' | 'sha256' | 'files'> {
  const [first] = files;
  if (first === undefined) return { size: 0 };
  if (first.name === '') return { size: first.digest.size, sha256: first.digest.sha256 };
  return {
    size: files.reduce((sum, { digest }) => sum + digest.size, 0),
    files: files.map(({ name, contentType, digest: { size, sha256 }, at }) => ({
      ...{ name, size, contentType, sha256 },
      ...(at !== undefined && { at }),
    })),
  };
}
