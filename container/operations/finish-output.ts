import { stat } from 'node:fs/promises';
import { analysisFile } from '../../contract/analysis-settings.ts';
import { containerFacts } from '../../contract/formats.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import type { CheckRun } from '../../engine/verify/decode-whole.ts';
import type { EncodeLimits } from '../../engine/ffmpeg/limits.ts';
import { chapterCut } from '../../engine/pictures/film-cut.ts';
import { cutTags, settleTags } from '../../engine/tags/output-tags.ts';
import { type VerifiedOutput, verifyOutput } from '../../engine/verify/verify.ts';
import { describeSubtitlePlan } from '../../engine/subtitles/plan-subtitles.ts';
import { tagFile } from '../../engine/formats/tags/tag-file.ts';
import type { Work } from '../../engine/work.ts';
import type { FilmImage } from '../../engine/products/image/image-job.ts';
import { makePackage } from '../../engine/products/package/make-package.ts';
import { type PoolTask, runPool } from '../../engine/pool.ts';
import type { Thumbnails } from '../../engine/products/package/offer-thumbnails.ts';
import { digestFile, type Digest } from '../transfer/digest.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { lookUp, type MadeOutput } from './make-planned.ts';
import type { PlannedOutput } from './plan-outputs.ts';

/** A file that is ready to be stored. */
export interface FinishedFile {
  /** Relative; empty where its output is one file. */
  name: string;
  path: string;
  contentType: string;
  /** Of a package. */
  cacheControl?: string;
  digest: Digest;
  /** seconds from the beginning of the film, of the picture in it */
  at?: number;
}

/** An output that is what its plan says: what is told of it, and its files in the order of their delivery. */
export interface FinishedOutput {
  facts: EncodedOutput;
  files: FinishedFile[];
}

type TaggedOutput = Pick<EncodedOutput, 'chapters' | 'chapterStarts' | 'cover'>;

/** What an output is finished with. */
interface Finishing extends CheckRun {
  limits: EncodeLimits;
  tagged: TaggedOutput;
  /** without its tags */
  encodedBytes: number;
}

/** Tags all outputs, and then verifies what is to be uploaded. */
export async function finishOutputs(
  outputs: readonly PlannedOutput[],
  made: ReadonlyMap<PlannedOutput, MadeOutput>,
  { transfer, limits }: { transfer: Pick<MediaTransfer, 'checkSize'>; limits: EncodeLimits },
  { folder, signal, advance }: Pick<Work, 'folder' | 'signal' | 'advance'>,
): Promise<Map<PlannedOutput, FinishedOutput>> {
  const prepared = new Map<PlannedOutput, Pick<Finishing, 'tagged' | 'encodedBytes'>>();
  for (const output of outputs) {
    const encodedBytes = await bytesOf(output, lookUp(made, output));
    const tagged = await tagOutput(output, lookUp(made, output), () => advance('verify', 0));
    prepared.set(output, { tagged, encodedBytes });
    transfer.checkSize(output.target, await bytesOf(output, lookUp(made, output)));
  }
  const finished = new Map<PlannedOutput, FinishedOutput>();
  for (const [index, output] of outputs.entries()) {
    const finishing = {
      ...{ ...lookUp(prepared, output), limits, folder, signal },
      advance: (fraction = 0) => advance('verify', (index + Math.min(1, fraction)) / outputs.length),
    };
    finishing.advance();
    finished.set(output, await finishOutput(output, lookUp(made, output), finishing));
  }
  return finished;
}

/** Of all its files. */
async function bytesOf(output: PlannedOutput, made: MadeOutput): Promise<number> {
  if (made.kind === 'left_out') return 0;
  const files = made.kind === 'image' ? made.image.files : (output.package?.parts ?? [output]);
  const paths = files.map(({ path }) => path);
  const sizes = await Promise.all(paths.map(async (one) => (await stat(one)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function tagOutput(
  { plan, tags, path }: PlannedOutput,
  made: MadeOutput,
  advance: () => void,
): Promise<TaggedOutput> {
  if (made.kind !== 'encoded') return {};
  const { audio, video } = made.encoded.streams;
  const seconds = Math.max(audio?.seconds ?? 0, video?.seconds ?? 0);
  const cut = plan.video === undefined ? plan.audio?.cut : chapterCut(plan.video.cut);
  const placed = cut === undefined ? tags : cutTags(tags, cut);
  // In fragments nothing lies where a track of chapters could.
  const held = plan.isFragmented === true ? { ...placed, chapters: [] } : placed;
  const settled = settleTags(held, plan.container, { from: 0, to: seconds });
  if (settled !== undefined) await tagFile(plan.container, path, settled, advance);
  const { chapters = [], cover } = settled ?? {};
  return {
    ...(chapters.length > 0 && { chapters: chapters.length }),
    ...(tags.areChaptersFound && { chapterStarts: chapters.map(({ startMs }) => startMs / 1000) }),
    ...(cover !== undefined && { cover: { width: cover.width, height: cover.height, size: cover.bytes.length } }),
  };
}

function finishOutput(output: PlannedOutput, made: MadeOutput, finishing: Finishing): Promise<FinishedOutput> {
  switch (made.kind) {
    case 'encoded':
      return finishEncoded(output, made, finishing);
    case 'analysis':
      return finishAnalysis(output, made, finishing);
    case 'image':
      return finishImage(output, made, finishing);
    case 'package':
      return finishPackage(output, made, finishing);
    case 'report':
      return finishReport(output, made, finishing);
    case 'left_out': {
      const { code, message: error } = made.reason;
      return Promise.resolve({ facts: { ...output.plan.named, size: 0, leftOut: { code, error } }, files: [] });
    }
  }
}

async function finishEncoded(
  { plan: planned, path }: PlannedOutput,
  { encoded }: Extract<MadeOutput, { kind: 'encoded' }>,
  finishing: Finishing,
): Promise<FinishedOutput> {
  const { plan = planned } = encoded;
  const { tagged, encodedBytes, signal, advance } = finishing;
  const { duration, streams } = await verifyOutput(path, plan, encoded.streams, finishing);
  const digest = await digestFile(path, signal, advance);
  // Of the sound: a cover takes as many bytes as minutes of it.
  const averageBitrate = Math.round((encodedBytes * 8) / 1000 / duration);
  const audio = streams.find((stream) => stream.kind === 'audio');
  const { contentType, videoContentType = contentType } = containerFacts(plan.container);
  const file = { name: '', path, contentType: plan.video === undefined ? contentType : videoContentType, digest };
  const { segments, seams, loudness } = encoded;
  const facts: EncodedOutput = {
    ...plan.named,
    container: plan.container,
    bitrate: plan.video === undefined ? (audio?.bitrate ?? averageBitrate) : averageBitrate,
    duration: roundToMilliseconds(duration),
    ...(audio !== undefined && { channels: audio.channels, sampleRate: audio.sampleRate }),
    streams,
    subtitles: plan.subtitles && describeSubtitlePlan(plan.subtitles),
    ...describeFiles([file]),
    ...{
      ...tagged,
      loudness,
      quality: encoded.streams.video?.quality,
      target: encoded.streams.video?.target,
      segments,
      seams,
    },
  };
  return { facts, files: [file] };
}

/** The file of an analysis has been read back when it was made. */
async function finishAnalysis(
  { plan, path }: PlannedOutput,
  { encoded, found }: Extract<MadeOutput, { kind: 'analysis' }>,
  { signal, advance }: Finishing,
): Promise<FinishedOutput> {
  const { analysis } = plan;
  if (analysis === undefined || plan.audio === undefined) throw new TypeError(`${plan.label} is no analysis`);
  const { contentType } = analysisFile(analysis);
  const file = { name: '', path, contentType, digest: await digestFile(path, signal, advance) };
  const { channels, sampleRate } = plan.audio;
  const duration = roundToMilliseconds(encoded.streams.audio?.seconds ?? 0);
  const facts = { ...plan.named, contentType, duration, channels, sampleRate, ...found, ...describeFiles([file]) };
  return { facts, files: [file] };
}

async function finishReport(
  { plan, path }: PlannedOutput,
  { seconds: duration }: Extract<MadeOutput, { kind: 'report' }>,
  { signal, advance }: Finishing,
): Promise<FinishedOutput> {
  const contentType = 'application/json';
  const file = { name: '', path, contentType, digest: await digestFile(path, signal, advance) };
  return { facts: { ...plan.named, contentType, duration, ...describeFiles([file]) }, files: [file] };
}

/** The files of an image have been read back when they were made. */
async function finishImage(
  { plan }: PlannedOutput,
  { image }: Extract<MadeOutput, { kind: 'image' }>,
  { signal, advance }: Finishing,
): Promise<FinishedOutput> {
  const files: FinishedFile[] = [];
  for (const file of image.files) files.push({ ...file, digest: await digestFile(file.path, signal, advance) });
  return { facts: { ...plan.named, ...image.facts, ...describeFiles(files) }, files };
}

/** Each part is verified as any output, and then all of them together. */
async function finishPackage(
  output: PlannedOutput,
  { encoded, thumbnails }: Extract<MadeOutput, { kind: 'package' }>,
  finishing: Finishing,
): Promise<FinishedOutput> {
  const { signal, advance } = finishing;
  const { plan, path } = output;
  if (output.package === undefined) throw new TypeError(`${plan.label} is no package`);
  const tasks = output.package.parts.map((part, index): PoolTask<VerifiedOutput> => async (either) => {
    const run = { ...finishing, signal: either };
    const verified = await verifyOutput(part.path, part.plan, encoded[index]?.streams ?? {}, run);
    advance();
    return verified;
  });
  // Decoders use several threads themselves, and the memory of one is what the job was admitted with.
  const width = plan.checks.verify === 'full' ? 1 : finishing.limits.encodeParallelism;
  const verified = await runPool(tasks, width, signal);
  const duration = Math.max(...verified.map((part) => part.duration));
  const streams = verified.flatMap((part) => part.streams);
  const sheets = thumbnails && sheetsOf(thumbnails);
  const packaged = await makePackage(output.package, plan, path, {
    ...finishing,
    thumbnails: sheets,
    seconds: duration,
  });
  const files: FinishedFile[] = [];
  for (const file of packaged) files.push({ ...file, digest: await digestFile(file.path, signal, advance) });
  const loudness = encoded.find((part) => part.loudness !== undefined)?.loudness;
  const { subtitlePlan, perTitle } = output.package;
  const facts = {
    ...{ ...plan.named, duration: roundToMilliseconds(duration), streams, loudness },
    ...{ subtitles: subtitlePlan && describeSubtitlePlan(subtitlePlan), perTitle },
    ...describeFiles(files),
  };
  return { facts, files };
}

/** Of a storyboard; players of packages take no other file of it. */
function sheetsOf({ files, facts }: FilmImage): Thumbnails {
  const { width = 0, height = 0, tiles } = facts;
  if (tiles === undefined) throw new TypeError('A storyboard without tiles');
  return {
    sheets: files.filter(({ contentType }) => contentType === 'image/jpeg'),
    size: { width, height },
    tiles,
  };
}

/** What an answer says of the files of one output. */
export function describeFiles(files: readonly FinishedFile[]): Pick<EncodedOutput, 'size' | 'sha256' | 'files'> {
  const [first] = files;
  if (first?.name === '') return { size: first.digest.size, sha256: first.digest.sha256 };
  return {
    size: files.reduce((sum, { digest }) => sum + digest.size, 0),
    files: files.map(({ name, contentType, digest: { size, sha256 }, at }) => ({
      ...{ name, size, contentType, sha256 },
      ...(at !== undefined && { at }),
    })),
  };
}
