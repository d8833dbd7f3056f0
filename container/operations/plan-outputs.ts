import { join } from 'node:path';
import type { EncodeRequest } from '../../contract/http/encode.ts';
import type { OutputSettings } from '../../contract/output-settings.ts';
import type { PackageSettings } from '../../contract/package-settings.ts';
import type { EncodeTarget } from '../../engine/plan/encoded-file.ts';
import { saysOfSource } from '../../engine/left-out.ts';
import { planOutput } from '../../engine/products/file/plan-output.ts';
import type { PictureLimits } from '../../engine/ffmpeg/limits.ts';
import type { Source } from '../../engine/source/source.ts';
import { type LinkedTags, planTags, sourceCovers, type TagPlan } from '../../engine/tags/output-tags.ts';
import { planWrittenMetadata } from '../../engine/tags/written-metadata.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { FilmImageTarget } from '../../engine/products/image/make-film-images.ts';
import type { JobContext } from '../jobs/job.ts';
import { fitToTitle } from '../../engine/products/package/fit-to-title.ts';
import { type PackagePlan, planPackage } from '../../engine/products/package/plan-package.ts';
import { type DeliveryTarget, singleTarget } from '../transfer/delivery-target.ts';
import type { LinkedKeys } from './linked-keys.ts';
import type { SubtitleOfLink } from '../../engine/subtitles/subtitle-source.ts';
import type { LinkedWatermarks } from './linked-watermarks.ts';
import type { OutputPlan } from '../../engine/plan/planned-output.ts';

/** An output of the request, and where it is made. */
export interface PlannedOutput extends EncodeTarget {
  tags: TagPlan;
  /** Undefined where it is asked for when the output is ready. */
  target: DeliveryTarget | undefined;
  /** It is left out where the source has not what it is made of. */
  isOptional: boolean;
  /** Why that is so. */
  leftOut?: MediaError;
  /** Where it is one: it has files of its own, and `path` is the folder of what is made of them. */
  package?: PackagePlan;
  /** Of a package that has some. */
  thumbnails?: FilmImageTarget;
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
  encryptionOf: LinkedKeys;
  subtitleOf: SubtitleOfLink;
}

/** In the order of the request. */
export async function planOutputs(
  { outputs }: EncodeRequest,
  settings: readonly OutputSettings[],
  source: Source,
  linked: Linked,
  limits: PictureLimits,
  job: JobContext,
): Promise<PlannedOutput[]> {
  const covers = sourceCovers(join(job.fetchedFolder, 'input'), source.tags.picture, limits, job);
  const planned: PlannedOutput[] = [];
  for (const [index, output] of settings.entries()) {
    const { label, named, container, checks, isOptional } = output;
    const path = join(job.folder, `output-${index}`);
    if (isPackage(output)) {
      const plan = { label, named, container, checks };
      const whole = planPackage(output, source, { ...linked, image: linked.watermarkOf(output) }, path);
      const { pictures } = source;
      const isFitted = output.package.isPerTitle && pictures !== undefined;
      const parts = isFitted ? await fitToTitle(whole, path, pictures, limits, job) : whole;
      const filmImage = source.pictures === undefined ? undefined : output.package.thumbnails;
      planned.push({
        ...{ plan, tags: noTags, path, target: undefined, isOptional },
        package: { ...parts, encryption: linked.encryptionOf(output) },
        ...(filmImage !== undefined && { thumbnails: { plan: { ...plan, filmImage }, path: `${path}-thumbnails` } }),
      });
      continue;
    }
    const target = singleTarget(outputs[index] ?? {});
    const plan = planUnlessMissing(output, source, linked, job.signal);
    if (plan instanceof MediaError) {
      planned.push({
        plan: { label, named, container, checks },
        tags: noTags,
        path,
        target,
        isOptional,
        leftOut: plan,
      });
      continue;
    }
    const tags = await planTags(output.tags, source, plan.audio, covers, linked.tags);
    const metadata = planWrittenMetadata(tags, plan, output.tags, source.tracks);
    planned.push({
      plan: { ...plan, metadata },
      ...{ tags, path, target, isOptional },
    });
  }
  return planned;
}

/** An error is why an optional output is not made. */
function planUnlessMissing(
  output: OutputSettings,
  source: Source,
  { watermarkOf, subtitleOf }: Linked,
  signal: AbortSignal,
): OutputPlan | MediaError {
  try {
    return planOutput(output, source, watermarkOf(output), subtitleOf);
  } catch (error) {
    if (!output.isOptional || !saysOfSource(error, signal)) throw error;
    return error;
  }
}
