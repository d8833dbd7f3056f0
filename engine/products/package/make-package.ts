import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OutputNaming } from '../../../contract/unsupported-output.ts';
import { MediaError } from '../../media-error.ts';
import type { ProcessLimits } from '../../ffmpeg/process-limits.ts';
import { readFirstPicture } from '../../source/pictures/first-picture.ts';
import type { ProductFile } from '../product/finished-product.ts';
import { completeManifest, completeMaster } from './bandwidth.ts';
import { segmentDecoder } from './decode-segment.ts';
import { encryptSegments, withPadding } from './encrypt-segments.ts';
import { fillLengths } from './fill-lengths.ts';
import { type ExpectedPart, findPackageProblems } from './find-problems.ts';
import { withLicenseUrl } from './license-url.ts';
import { offerSubtitles } from './offer-subtitles.ts';
import { offerThumbnails, type Thumbnails } from './offer-thumbnails.ts';
import { manifestName, masterName, partNames, playlistType } from './packager-arguments.ts';
import type { PackagePlan } from './package-plan.ts';
import { readLocal } from './read-local.ts';
import { type ReadPackage, readPackage } from './read-package.ts';
import { remuxOpus } from './remux-opus.ts';
import { runPackager } from './run-packager.ts';

/** Media never change. Indexes expire soon because a new package may replace this one. */
const cacheControls = { media: 'max-age=31536000, immutable', index: 'max-age=60' };

interface PackageRun {
  limits: ProcessLimits;
  signal: AbortSignal;
  advance: () => void;
  thumbnails?: Thumbnails | undefined;
  /** Length of the longest part. */
  seconds: number;
}

/** Packages the finished parts, removes them, and checks the package. Returns its files in delivery order. */
export async function makePackage(
  plan: PackagePlan,
  naming: OutputNaming,
  folder: string,
  { limits, signal, advance, thumbnails, seconds }: PackageRun,
): Promise<ProductFile[]> {
  const film = plan.parts.find(({ kind }) => kind === 'video');
  const hasCaptions = film !== undefined && (await readFirstPicture(film.path, 0, signal)).hasCaptions === true;
  await remuxOpus(plan.parts, limits, signal);
  await runPackager(plan, folder, limits, signal);
  for (const { path } of plan.parts) await rm(path);
  const added = [
    ...(thumbnails === undefined ? [] : await offerThumbnails(plan, thumbnails, seconds, folder)),
    ...(await offerSubtitles(plan, seconds, folder)),
  ];
  const read = await readMade(plan, folder, { limits, signal, advance, hasCaptions });
  const [problem] = findPackageProblems(read, expectedParts(plan, folder));
  if (problem !== undefined) {
    const message = `The output ${naming.label} failed its verification: ${problem}. Nothing was uploaded.`;
    throw new MediaError('output_invalid', message, { details: naming.named });
  }
  const { encryption } = plan;
  if (encryption?.scheme === 'aes-128') await encryptSegments(read, encryption, signal);
  if (encryption?.licenseUrl !== undefined && read.manifest !== undefined) {
    await writeFile(join(folder, manifestName), withLicenseUrl(read.manifest.text, encryption.licenseUrl));
  }
  return await listFiles(plan, folder, added);
}

const urlOf = (folder: string, name: string): string => pathToFileURL(join(folder, name)).href;

const expectedParts = ({ parts, layout }: PackagePlan, folder: string): ExpectedPart[] =>
  parts.map(({ kind, name }) => ({ kind, name, main: urlOf(folder, partNames({ kind, name }, layout).main) }));

/** Reads the package and corrects its indexes. */
async function readMade(
  plan: PackagePlan,
  folder: string,
  { limits, signal, advance, hasCaptions }: Omit<PackageRun, 'thumbnails' | 'seconds'> & { hasCaptions: boolean },
): Promise<ReadPackage> {
  const manifestUrl = plan.kinds.includes('dash') ? urlOf(folder, manifestName) : undefined;
  const indexes = { playlist: urlOf(folder, masterName), manifest: manifestUrl };
  const isDecoded = plan.parts.some((part) => part.plan.checks.verify === 'full');
  const segmentPath = `${folder}-segment`;
  const asPackaged = await readPackage(indexes, {
    ...{ read: readLocal, signal, advance },
    ...(isDecoded && { decode: segmentDecoder(segmentPath, limits, signal) }),
  });
  await rm(segmentPath, { force: true });
  const filled = await fillLengths(asPackaged);
  const read = plan.encryption?.scheme === 'aes-128' ? withPadding(filled) : filled;
  if (read.master === undefined) throw new Error('The packager has offered nothing');
  const mains = expectedParts(plan, folder).map(({ main }) => main);
  const master = completeMaster(read.master, read, { mains, hasCaptions });
  await writeFile(join(folder, masterName), master.text);
  const manifest = read.manifest && completeManifest(read.manifest, read);
  if (manifest !== undefined) await writeFile(join(folder, manifestName), manifest.text);
  return { ...read, master, manifest };
}

/** Files come before the index that names them, and the master index last. */
async function listFiles(
  { kinds, layout, parts }: PackagePlan,
  folder: string,
  added: readonly Pick<ProductFile, 'name' | 'contentType'>[],
): Promise<ProductFile[]> {
  const isWanted = (name: string): boolean => kinds.includes('hls') || !name.endsWith('.m3u8');
  const names = parts.map((part) => partNames(part, layout));
  const files = await Promise.all(
    parts.map(async ({ kind, name }, index) => {
      const { main, keyFrames = [], media } = names[index] ?? { main: '', media: { whole: '' } };
      const found =
        'whole' in media ? [media.whole] : (await readdir(join(folder, name))).map((entry) => `${name}/${entry}`);
      const ofMedia = found.filter((entry) => !entry.endsWith('.m3u8')).toSorted(byNumber);
      return [
        ...ofMedia.map((entry) => ({ name: entry, contentType: `${kind}/mp4` })),
        ...[keyFrames, main].flat().map((entry) => ({ name: entry, contentType: playlistType })),
      ];
    }),
  );
  const indexes = [
    ...(kinds.includes('dash') ? [{ name: manifestName, contentType: 'application/dash+xml' }] : []),
    { name: masterName, contentType: playlistType },
  ];
  return [...files.flat(), ...added, ...indexes]
    .filter(({ name }) => isWanted(name))
    .map((file) => ({
      ...{ ...file, path: join(folder, file.name) },
      cacheControl: /\.(?:m3u8|mpd)$/.test(file.name) ? cacheControls.index : cacheControls.media,
    }));
}

const byNumber = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });
