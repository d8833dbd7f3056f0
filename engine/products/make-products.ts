import { join } from 'node:path';
import type { SourceFacts } from '../../contract/http/encode.ts';
import { withEncodeShare } from '../encode-share.ts';
import type { EncodeTarget } from '../plan/encoded-file.ts';
import type { LevelledFile } from '../sound/loudness/encode-at-loudness.ts';
import type { PictureTarget } from '../pictures/picture-target.ts';
import type { Source } from '../source/source.ts';
import { judgeStreams } from '../verify/completeness.ts';
import type { MadeAnalysis, MadeReport } from './analysis/make-product.ts';
import { analysisProduct } from './analysis/product.ts';
import { filmOf, type MadeFile, type MakeOptions, soundOf } from './file/make-product.ts';
import { fileProduct } from './file/product.ts';
import type { MadeImage } from './image/make-product.ts';
import type { ImageProduct } from './image/plan-product.ts';
import { imageProduct } from './image/product.ts';
import { checkMadeFiles } from './package/count-files-together.ts';
import type { MadePackage } from './package/make-product.ts';
import { packageProduct } from './package/product.ts';
import { type LeftOut, orLeftOut, type Product } from './plan-products.ts';

export type MadeProduct = MadeFile | MadePackage | MadeAnalysis | MadeReport | MadeImage | LeftOut;

/** Share of images in the time of an encode. */
const imageShare = 0.1;

/**
 * Makes all products: images first, everything else from one decode. The result shows whether the source is complete.
 */
export async function makeProducts(
  products: readonly Product[],
  source: Source,
  options: MakeOptions,
): Promise<{ products: MadeProduct[]; source: SourceFacts }> {
  const { limits, job } = options;
  const images = products.filter((product) => product.kind === 'image');
  const thumbnails = products.flatMap((product) => (product.kind === 'package' ? (product.thumbnails ?? []) : []));
  const analyses = products.filter((product) => product.kind === 'analysis');
  const samples = analysisProduct.planSamples(analyses, (index) => join(job.folder, `samples-${index}`));
  await analysisProduct.checkSamples(samples, source.tracks, limits.maxOutputBytes);
  const targets = [...products.flatMap(encodeTargetsOf), ...samples];
  const drawnCount = images.length + thumbnails.length;
  const share = drawnCount === 0 ? 0 : targets.length === 0 ? 1 : imageShare;
  const drawing = withEncodeShare(job, 0, share);
  const required = images.filter(({ isOptional }) => !isOptional);
  const drawn = await imageProduct.make([...required, ...thumbnails], limits, drawing);
  const optional = new Map<ImageProduct, MadeImage | LeftOut>();
  for (const product of images.filter(({ isOptional }) => isOptional)) {
    const draw = async (): Promise<MadeImage> => {
      const one = await imageProduct.make([product], limits, drawing);
      return { kind: 'image', product, image: lookUp(one, product) };
    };
    optional.set(product, await orLeftOut(product, job.signal, draw));
  }

  const files = await fileProduct.make(source, targets, { ...options, job: withEncodeShare(job, share, 1) });
  const encodedOf = (target: EncodeTarget): LevelledFile => lookUp(files, target);
  const samplesOf = new Map(samples.flatMap((target) => target.analyses.map((product) => [product, target])));
  // The answer describes the track of the first output.
  const decoded = products.flatMap((product) =>
    product.kind === 'analysis' ? lookUp(samplesOf, product) : encodeTargetsOf(product),
  );
  const judged = judgeStreams(
    source,
    decoded.map((target) => ({ plan: target.plan, streams: encodedOf(target).streams })),
  );
  const analysed = await analysisProduct.make(samples, encodedOf, source, limits, job);

  const made: MadeProduct[] = [];
  for (const product of products) {
    switch (product.kind) {
      case 'file':
        made.push({ kind: 'file', product, encoded: encodedOf(product) });
        break;
      case 'package':
        made.push(packageProduct.make(product, encodedOf, (target) => lookUp(drawn, target)));
        break;
      case 'analysis':
        made.push(lookUp(analysed, product));
        break;
      case 'image':
        made.push(optional.get(product) ?? { kind: 'image', product, image: lookUp(drawn, product) });
        break;
      case 'silent_report':
        made.push({
          kind: 'silent_report',
          product,
          seconds: await analysisProduct.makeReport(product.path, product.source),
        });
        break;
      case 'left_out':
        made.push(product);
        break;
    }
  }
  checkMadeFiles(made.filter((one) => one.kind === 'package'));
  return { products: made, source: judged };
}

/** The pictures of all files, in the order of the outputs. */
export function filmsOf(products: readonly Product[]): PictureTarget[] {
  return products.flatMap(encodeTargetsOf).flatMap((target) => filmOf(target) ?? []);
}

/** The files with sound of a job without films, in the order of the outputs. */
export function soundsOf(products: readonly Product[]): EncodeTarget[] {
  return products.flatMap(encodeTargetsOf).filter(({ plan }) => plan.audio !== undefined);
}

/** Files of the sound of all outputs that is not copied, in the order of the outputs. */
export function wholeSoundsOf(products: readonly Product[]): EncodeTarget[] {
  return products
    .flatMap(encodeTargetsOf)
    .flatMap((target) => (target.plan.audio?.isCopied === true ? [] : (soundOf(target) ?? [])));
}

/** Files that one decode of the source is encoded to; the shared samples of analyses are separate. */
function encodeTargetsOf(product: Product): EncodeTarget[] {
  switch (product.kind) {
    case 'file':
      return [product];
    case 'package':
      return product.plan.parts;
    case 'analysis':
    case 'image':
    case 'silent_report':
    case 'left_out':
      return [];
  }
}

function lookUp<Key, Value>(values: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = values.get(key);
  if (value === undefined) throw new Error('An output was not made');
  return value;
}
