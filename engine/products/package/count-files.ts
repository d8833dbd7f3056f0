import { UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import type { Source } from '../../source/source.ts';
import { orUnsupported } from '../../unsupported.ts';
import { textSegmentSeconds } from './offer-subtitles.ts';
import type { PackagePlan } from './package-plan.ts';
import { partSeconds } from './plan-package.ts';
import type { PackageProduct } from './plan-product.ts';

/** The answer names each file in about 140 bytes, and a run's history, which keeps the answer, holds at most 2 MB. */
const mostFilesTogether = 12_000;

function countSegments(plan: PackagePlan, source: Pick<Source, 'tracks'>): number {
  const { kinds, layout, parts, segmentSeconds, subtitles = [] } = plan;
  if (layout === 'byte_ranges') return 0;
  const lengths = parts.map((part) => partSeconds(part.plan, source.tracks));
  const media = lengths.reduce((sum, seconds) => sum + Math.ceil(seconds / segmentSeconds), 0);
  const ofText = kinds.includes('hls') ? Math.ceil(Math.max(...lengths) / textSegmentSeconds) : 0;
  return media + ofText * subtitles.length;
}

/** Refuses packages that have too many files together, before anything is encoded. */
export function checkFilesTogether(packages: readonly PackageProduct[], source: Pick<Source, 'tracks'>): void {
  const counts = packages.map(({ plan }) => countSegments(plan, source));
  const files = counts.reduce((sum, count) => sum + count, 0);
  const largest = packages[counts.indexOf(Math.max(...counts))];
  if (largest === undefined || files <= mostFilesTogether) return;
  orUnsupported(() => {
    throw new UnsupportedOutput(
      largest,
      `the packages of the job would have about ${files} files together, and the limit is ${mostFilesTogether}; use "layout": "byte_ranges", or longer segments`,
    );
  });
}
