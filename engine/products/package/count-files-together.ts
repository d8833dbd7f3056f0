import type { Source } from '../../source/source.ts';
import { orUnsupported } from '../../unsupported.ts';
import { checkFiles, countMedia, plannedLengths, tooMany } from './count-files.ts';
import type { MadePackage } from './make-product.ts';
import { textSegmentSeconds } from './offer-subtitles.ts';
import type { PackageProduct } from './plan-product.ts';

/** The answer has about 140 bytes for each file. */
const mostFilesTogether = 12_000;

interface CountedPackage {
  product: PackageProduct;
  /** Seconds of each part. */
  lengths: readonly number[];
}

/** Refuses packages that have too many files together, before anything is encoded. */
export function checkFilesTogether(packages: readonly PackageProduct[], { tracks }: Pick<Source, 'tracks'>): void {
  checkSum(packages.map((product) => ({ product, lengths: plannedLengths(product.plan, tracks) })));
}

/** Refuses encoded packages that have too many files: the planned length of their sound may have been wrong. */
export function checkMadeFiles(packages: readonly MadePackage[]): void {
  const counted = packages.map(({ product, parts }) => ({
    product,
    lengths: parts.map(({ encoded: { streams } }) => (streams.video ?? streams.audio)?.seconds ?? 0),
  }));
  orUnsupported(() => {
    for (const { product, lengths } of counted) checkFiles(product, product.plan, lengths);
  });
  checkSum(counted);
}

function checkSum(packages: readonly CountedPackage[]): void {
  const counts = packages.map(countSegments);
  const files = counts.reduce((sum, count) => sum + count, 0);
  const largest = packages[counts.indexOf(Math.max(...counts))];
  if (largest === undefined || files <= mostFilesTogether) return;
  orUnsupported(() => {
    throw tooMany(largest.product, 'the packages of the job', files, mostFilesTogether, ' together');
  });
}

function countSegments({ product: { plan }, lengths }: CountedPackage): number {
  const { kinds, layout, subtitles = [] } = plan;
  if (layout === 'byte_ranges') return 0;
  const ofText = kinds.includes('hls') ? Math.ceil(Math.max(...lengths) / textSegmentSeconds) : 0;
  return countMedia(plan, lengths) + ofText * subtitles.length;
}
