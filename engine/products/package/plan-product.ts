import type { StoryboardSettings } from '../../../contract/film-image-settings.ts';
import type { CheckOptions } from '../../../contract/http/checks.ts';
import type { PackageSettings } from '../../../contract/package-settings.ts';
import type { OutputNaming } from '../../../contract/unsupported-output.ts';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import type { VideoPlan } from '../../plan/video-plan.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import type { Source } from '../../source/source.ts';
import { orUnsupported } from '../../unsupported.ts';
import type { Work } from '../../work.ts';
import { type StoryboardPlan, planFilmImage } from '../image/film-image-plan.ts';
import { admitImage, type ImageTarget } from '../image/plan-product.ts';
import type { Linked } from '../product/linked.ts';
import { fitToTitle } from './fit-to-title.ts';
import type { PackagePlan } from './package-plan.ts';
import { planPackage } from './plan-package.ts';

/** Segments, playlists and manifests in the folder `path`. */
export interface PackageProduct extends OutputNaming {
  kind: 'package';
  plan: PackagePlan;
  checks: CheckOptions;
  /** A storyboard that players show above their time line. */
  thumbnails?: ImageTarget<StoryboardPlan>;
  path: string;
}

/** Tries the sizes on samples of the film if the output asks for it. */
export async function planPackageProduct(
  output: PackageSettings,
  source: Source,
  { watermarkOf, subtitleOf, keyOf }: Linked,
  limits: PictureLimits,
  work: Work,
  path: string,
): Promise<PackageProduct> {
  const { label, named, common, encryption } = output;
  const { pictures } = source;
  const whole = planPackage(output, source, { image: watermarkOf(common), subtitleOf }, path);
  const isFitted = output.isPerTitle && pictures !== undefined;
  const plan = isFitted ? await fitToTitle(whole, path, pictures, limits, work) : whole;
  const film = plan.parts.find(({ kind }) => kind === 'video')?.plan.video;
  const thumbnails =
    pictures && output.thumbnails && planThumbnails(output.thumbnails, output, { pictures, film }, path);
  return {
    kind: 'package',
    label,
    named,
    plan: { ...plan, encryption: encryption && { ...encryption, key: keyOf(encryption.key) } },
    checks: common.checks,
    ...(thumbnails !== undefined && { thumbnails: admitImage(thumbnails, limits) }),
    path,
  };
}

function planThumbnails(
  settings: StoryboardSettings,
  naming: OutputNaming,
  { pictures, film }: { pictures: PictureSource; film: VideoPlan | undefined },
  path: string,
): ImageTarget<StoryboardPlan> {
  const plan = orUnsupported(() => planFilmImage(settings, naming, pictures, film));
  return { plan, film: pictures, path: `${path}-thumbnails` };
}
