import { roundToMilliseconds } from '../../../contract/milliseconds.ts';
import { type PoolTask, runPool } from '../../pool.ts';
import { describeSubtitlePlan } from '../../subtitles/plan-subtitles.ts';
import { type VerifiedOutput, verifyOutput } from '../../verify/verify.ts';
import type { FinishedProduct, FinishRun } from '../product/finished-product.ts';
import type { MadePackage } from './make-product.ts';

/** Verifies each part as a file, and then packages all parts and checks the package. */
export async function finishPackage(
  { product, parts, thumbnails }: MadePackage,
  run: FinishRun,
): Promise<FinishedProduct> {
  const { plan, checks, named, path } = product;
  const tasks = parts.map(({ part, encoded }): PoolTask<VerifiedOutput> => async (signal) => {
    const verified = await verifyOutput(part.path, part.plan, encoded.streams, { ...run, signal });
    run.advance();
    return verified;
  });
  // A decoder uses several threads, but the job was admitted with one decoder's memory.
  const width = checks.verify === 'full' ? 1 : run.limits.encodeParallelism;
  const verified = await runPool(tasks, width, run.signal);
  const seconds = Math.max(...verified.map((part) => part.duration));
  // The packager and its checks load only for packages, so that a container starts sooner.
  const { makePackage } = await import('./make-package.ts');
  const files = await makePackage(plan, product, path, { ...run, thumbnails, seconds });
  const facts = {
    ...named,
    duration: roundToMilliseconds(seconds),
    streams: verified.flatMap((part) => part.streams),
    loudness: parts.find(({ encoded }) => encoded.loudness !== undefined)?.encoded.loudness,
    subtitles: plan.subtitlePlan && describeSubtitlePlan(plan.subtitlePlan),
    perTitle: plan.perTitle,
  };
  return { facts, files };
}
