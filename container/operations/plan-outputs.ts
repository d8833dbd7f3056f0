import { join } from 'node:path';
import type { EncodeRequest } from '../../contract/http/encode.ts';
import type { OutputSettings } from '../../contract/output-settings.ts';
import type { PackageSettings } from '../../contract/package-settings.ts';
import type { EncodeTarget } from '../encode/encoded-file.ts';
import { planOutput } from '../encode/output-plan.ts';
import type { RunLimits } from '../encode/limits.ts';
import type { Source } from '../encode/source.ts';
import { type LinkedTags, planTags, sourceCovers, type TagPlan } from '../encode/tags/output-tags.ts';
import { planWrittenMetadata } from '../encode/tags/written-metadata.ts';
import type { JobContext } from '../jobs/job.ts';
import { type PackagePlan, planPackage } from '../package/plan-package.ts';
import { type DeliveryTarget, singleTarget } from '../transfer/delivery-target.ts';
import type { LinkedWatermarks } from './linked-watermarks.ts';

/** An output of the request, and where it is made. */
export interface PlannedOutput extends EncodeTarget {
  tags: TagPlan;
  /** Undefined where it is asked for when the output is ready. */
  target: DeliveryTarget | undefined;
  /** Where it is one: it has files of its own, and `path` is the folder of what is made of them. */
  package?: PackagePlan;
}

/** Its files are named by playlists, which have no tags. */
const noTags: TagPlan = {
  ...{ metadata: new Map(), chapters: [], cover: undefined },
  ...{ areChaptersOwn: false, areChaptersFound: false },
};

function isPackage(output: OutputSettings): output is OutputSettings & { package: PackageSettings } {
  return output.package !== undefined;
}

/** What the links of a request led to. */
interface Linked {
  tags: LinkedTags;
  watermarkOf: LinkedWatermarks;
}

/** In the order of the request. */
export async function planOutputs(
  { outputs }: EncodeRequest,
  settings: readonly OutputSettings[],
  source: Source,
  linked: Linked,
  limits: RunLimits,
  job: JobContext,
): Promise<PlannedOutput[]> {
  const covers = sourceCovers(join(job.folder, 'input'), source.tags.picture, limits, job);
  const planned: PlannedOutput[] = [];
  for (const [index, output] of settings.entries()) {
    if (isPackage(output)) {
      const path = join(job.folder, `output-${index}`);
      const { label, named, container, checks } = output;
      const parts = planPackage(output, source, linked.watermarkOf(output), path);
      planned.push({
        plan: { label, named, container, checks },
        tags: noTags,
        path,
        target: undefined,
        package: parts,
      });
      continue;
    }
    const plan = planOutput(output, source, linked.watermarkOf(output));
    const tags = await planTags(output.tags, source, plan.audio, covers, linked.tags);
    const metadata = planWrittenMetadata(tags, plan, output.tags, source.tracks);
    const { encodedInstead } = plan;
    planned.push({
      plan: { ...plan, metadata, ...(encodedInstead && { encodedInstead: { ...encodedInstead, metadata } }) },
      tags,
      path: join(job.folder, `output-${index}`),
      target: singleTarget(outputs[index] ?? {}),
    });
  }
  return planned;
}
