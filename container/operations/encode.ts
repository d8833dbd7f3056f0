import { join } from 'node:path';
import type { EncodeRequest, EncodeResult } from '../../contract/http/encode.ts';
import { fileSettingsOf, type OutputSettings } from '../../contract/output-settings.ts';
import type { SourceIdentity } from '../../contract/http/source.ts';
import type { Presets } from '../../contract/presets.ts';
import type { EncodeLimits, PictureLimits } from '../../engine/ffmpeg/limits.ts';
import { makeProducts } from '../../engine/products/make-products.ts';
import { tracksToCount } from '../../engine/products/package/count-files.ts';
import { planProducts } from '../../engine/products/plan-products.ts';
import type { SegmentedCounters } from '../../engine/sound/segmented/counters.ts';
import { countWhereNeeded } from '../../engine/source/count-samples.ts';
import { evenShapes } from '../../engine/source/even-shapes.ts';
import { joinSource } from '../../engine/source/joined-source.ts';
import { openPictures, type PartialPictures } from '../../engine/source/pictures/open-pictures.ts';
import { openSource, type Source } from '../../engine/source/source.ts';
import { usedTracks } from '../../engine/source/track.ts';
import { markWildSamples } from '../../engine/source/wild-samples.ts';
import { openSubtitles } from '../../engine/subtitles/open-subtitles.ts';
import type { JobContext } from '../jobs/job.ts';
import { singleTarget } from '../transfer/delivery-target.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { keepRedirects, placesOfEncode } from './request-places.ts';
import { answerOfPart, checkUnchanged, describeSegment, fetchSegments, makeSegment, planParts } from './encode-part.ts';
import { finishOutputs } from './finish-outputs.ts';
import { fetchKeys, fetchLinkedTags, fetchSubtitles, fetchWatermarks } from './linked-files.ts';
import { planFromIndex, type Prepared, type SegmentPart, withBytes, withSegmentBytes } from './partial-source.ts';
import { checkInputs, digestInputs, withInputs } from './segment-inputs.ts';
import { settleOutputs } from './settle-outputs.ts';
import { describeWholeSounds, makeWholeSounds } from './whole-sound.ts';

/** Reads the sound as far as the outputs need it to be planned. */
async function countSound(
  source: Source,
  settings: readonly OutputSettings[],
  limits: EncodeLimits & PictureLimits,
  job: JobContext,
): Promise<Source> {
  const files = settings.flatMap(fileSettingsOf);
  const even = await evenShapes(source, usedTracks(files, source), limits, job);
  const marked = await markWildSamples(even, usedTracks(files, even), limits, job);
  return await countWhereNeeded(marked, files, limits, job, tracksToCount(settings, marked));
}

interface EncodeDeps {
  transfer: MediaTransfer;
  limits: EncodeLimits & PictureLimits;
  counters: SegmentedCounters;
  presets: Presets;
}

/** Runs a job from the source's URL to the stored files (docs/reference/encode.md). Nothing is uploaded before every output is verified. */
export async function runEncodeJob(
  request: EncodeRequest,
  { transfer, counters, presets, ...deps }: EncodeDeps,
  job: JobContext,
): Promise<EncodeResult> {
  const encodeParallelism = request.parallel === false ? 1 : deps.limits.encodeParallelism;
  const limits = { ...deps.limits, writableFolder: job.folder };
  const input = join(job.fetchedFolder, 'input');
  const settings = settleOutputs(request, presets, limits);
  const files = settings.flatMap(fileSettingsOf);
  const encryptions = settings.flatMap((output) => (output.kind === 'package' ? (output.encryption ?? []) : []));
  const { inputs, targets: places } = placesOfEncode(request, presets);
  const kept = await transfer.keepInputs(inputs);
  await transfer.checkUploads(request.outputs, job.signal);
  const keeping = keepRedirects(transfer, places, kept);
  const linked = {
    tags: await fetchLinkedTags(files, keeping, limits, job),
    watermarkOf: await fetchWatermarks(files, keeping, limits, job),
    keyOf: await fetchKeys(encryptions, keeping, job),
    subtitleOf: await fetchSubtitles(files, keeping, limits, job),
  };
  const { part } = request;
  const { jobId } = job;
  const inputsSha256 = part && (await digestInputs(settings, linked));
  checkInputs(part, inputsSha256);
  const hasFilms = files.some(({ video }) => video !== undefined);
  // Only the index of pictures can be read without the rest. A burnt track is read from the whole source.
  const burnsTrack = files.some(({ subtitles }) => subtitles?.burn !== undefined && 'track' in subtitles.burn);
  const isPartial = hasFilms && !burnsTrack;
  const prepare = async (partial?: PartialPictures): Promise<Prepared> => {
    job.advance('probe', 0);
    const opened = await openSource(input, limits, job.signal);
    // A partial source is never several files in a row: its plan has read it whole, or its format cannot be joined.
    const joined = partial === undefined ? await joinSource(opened, limits, job) : opened;
    const timed = await openPictures(joined, settings, limits, job, partial);
    // A partial source lacks the packets of subtitles, and the segments of a film have no subtitles.
    const read = partial === undefined ? await openSubtitles(timed, files, { limits, job }) : timed;
    // The segments of a film have no sound.
    const hasSound = (part?.kind !== 'plan' && part?.kind !== 'segment') || !hasFilms;
    const source = hasSound ? await countSound(read, settings, limits, job) : read;
    return { source, products: await planProducts(settings, input, source, linked, limits, job) };
  };
  const encodeSegment = async (
    segment: SegmentPart,
    identity: SourceIdentity,
    { source, products }: Prepared,
  ): Promise<EncodeResult> => {
    const made = await makeSegment(segment, products, source, { ...limits, encodeParallelism }, job);
    await transfer.uploadAll(made, kept, job);
    return answerOfPart(describeSegment(made), source, identity, jobId);
  };
  const fetching = { request, target: input, prepare };
  if (part?.kind === 'plan' && isPartial) {
    const planned = await planFromIndex(part, fetching, keeping, limits, job);
    if (planned !== undefined) return withInputs(planned, inputsSha256);
  }
  if (part?.kind === 'segment' && isPartial) {
    const make = (prepared: Prepared) => encodeSegment(part, part.source, prepared);
    const made = await withSegmentBytes(part, fetching, keeping, job, make);
    if (made !== undefined) return made;
  }
  const identity = await keeping.download(request, input, job);
  checkUnchanged(part, identity);
  const prepared = await prepare();
  const { source, products } = prepared;
  if (part?.kind === 'plan') {
    const planned = await planParts(part, products, source, identity, limits, job);
    const placed = isPartial ? await withBytes(planned, fetching, prepared, job) : planned;
    return withInputs(answerOfPart(placed, source, identity, jobId), inputsSha256);
  }
  if (part?.kind === 'segment') {
    return await encodeSegment(part, identity, prepared);
  }
  if (part?.kind === 'sound') {
    const sounds = await makeWholeSounds(products, source, { limits: { ...limits, encodeParallelism }, counters }, job);
    await transfer.uploadAll(sounds, kept, job);
    return answerOfPart(describeWholeSounds(sounds), source, identity, jobId);
  }
  const joiners = part && (await fetchSegments(part, products, keeping, job));
  const made = await makeProducts(products, source, {
    limits: { ...limits, encodeParallelism },
    counters,
    ...joiners,
    job,
  });
  const targets = request.outputs.map(singleTarget);
  const finished = await finishOutputs(made.products, targets, { transfer, limits }, job);
  await transfer.uploadAll(
    finished.flatMap((one, output) => one.files.map((file) => ({ ...file, output, target: targets[output] }))),
    kept,
    job,
  );
  return {
    success: true,
    jobId,
    outputs: finished.map(({ facts }) => facts),
    source: made.source,
    identity,
  };
}
