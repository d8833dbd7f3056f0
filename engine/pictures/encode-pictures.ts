import { statSync } from 'node:fs';
import { containers } from '../../contract/formats.ts';
import { videoCodecFacts } from '../../contract/video-codecs.ts';
import { MediaError } from '../media-error.ts';
import type { Work } from '../work.ts';
import type { EncodedStreams } from '../plan/encoded-file.ts';
import type { PictureLimits } from '../ffmpeg/limits.ts';
import { type OnAdvance, runWithinLimits } from '../ffmpeg/limited-run.ts';
import { muxerArguments, tagArguments } from '../sound/arguments.ts';
import { finishMuxedSound, type MuxedSound, muxedSoundArguments, planMuxedSound } from './muxed-sound.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import type { FfmpegOutput } from '../ffmpeg/run.ts';
import {
  removeSubtitles,
  subtitleArguments,
  type SubtitleInput,
  writeSubtitles,
} from '../subtitles/write-subtitles.ts';
import { withEncodeShare } from '../encode-share.ts';
import { picturesFrom, planEntry } from './entry.ts';
import { encoderArguments } from './encoder-arguments.ts';
import { admitMemory, estimateMemory } from './memory.ts';
import { type InputBeside, withPictureInputs } from './picture-inputs.ts';
import { checkConstant, isOfStatedSize } from '../source/pictures/decoded-size.ts';
import { MissingPackets } from '../source/pictures/missing-packets.ts';
import { pictureSeconds, type PictureSource } from '../source/pictures/picture-source.ts';
import { firstPasses, prepareFirstPasses, removeStatistics, secondPasses } from './two-passes.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import { finishLastPicture, lastPictureArguments, orderArguments } from './last-picture.ts';
import { plannedSeconds } from './video-timing.ts';
import { decoderThreads, type PictureEntry } from '../ffmpeg/picture-entry.ts';
import type { PictureTarget } from './picture-target.ts';

/** Rejects an encode that could not finish, before it starts. */
export function admitPictures(plans: readonly VideoPlan[], source: PictureSource, limits: PictureLimits): void {
  admitMemory(estimateMemory(plans, source, decoderThreads), limits.memoryLimitBytes);
}

/** What entered the encoder of an output's pictures. */
export type EncodedPictures = NonNullable<EncodedStreams['video']>;

/** Makes the pictures of all outputs, combined with their sound. */
export type PictureEncoder = typeof encodePictures;

/** Share of a first pass in the time of both. It takes less than the second, and both decode. */
const firstPassShare = 0.35;

/** Encodes the pictures of all outputs. Outputs with a bitrate take two passes if their codec supports them. */
export async function encodePictures(
  source: PictureSource,
  targets: readonly PictureTarget[],
  limits: PictureLimits,
  job: Work,
): Promise<EncodedPictures[]> {
  const first = firstPasses(targets);
  if (first.length === 0) return await runPass(source, targets, limits, job);
  await prepareFirstPasses(first);
  await runPass(source, first, limits, withEncodeShare(job, 0, firstPassShare));
  const second = await secondPasses(targets, first);
  const encoded = await runPass(source, second, limits, withEncodeShare(job, firstPassShare, 1));
  await removeStatistics(first);
  return encoded;
}

/** Runs one ffmpeg: one decode of the source's pictures and one encoder per output, whose sound is copied. */
async function runPass(
  source: PictureSource,
  targets: readonly PictureTarget[],
  limits: PictureLimits,
  job: Work,
): Promise<EncodedPictures[]> {
  const soundOf = new Map<PictureTarget, MuxedSound>();
  const beside: InputBeside[] = [];
  const texts: SubtitleInput[] = [];
  const outputs: FfmpegOutput[] = [];
  for (const [index, target] of targets.entries()) {
    const { plan, path, soundPath, pass } = target;
    const sound = soundPath === undefined ? undefined : await planMuxedSound(soundPath, plan, job.signal);
    const written = pass?.number === 1 ? [] : await writeSubtitles(plan.subtitles, path);
    const first = 1 + beside.length;
    const ofSound = sound === undefined ? [] : muxedSoundArguments(sound, first);
    const ofText = subtitleArguments(plan.subtitles, plan.container, first + (sound === undefined ? 0 : 1));
    if (sound !== undefined) {
      soundOf.set(target, sound);
      beside.push({ path: sound.path, options: [...decodeGuards, ...sound.input] });
    }
    beside.push(...written);
    texts.push(...written);
    outputs.push({ path, options: outputArguments(target, index, [...ofSound, ...ofText]) });
  }
  const seconds = Math.max(...targets.map(({ plan }) => plannedSeconds(plan.video.timing)));
  const advance: OnAdvance = (mediaSeconds, speed, pictures) =>
    job.advance('encode', mediaSeconds / seconds, speed, {
      frames: pictures?.frames ?? 0,
      fps: pictures?.framesPerSecond ?? 0,
      size: writtenBytes(targets),
    });
  const plans = targets.map(({ plan }) => plan.video);
  const entry = planEntry(plans, source);
  const encodeFrom = (from: PictureEntry) =>
    withPictureInputs(source, { targets, beside, entry: from }, { limits, signal: job.signal }, (inputs) =>
      runWithinLimits({ ...inputs, outputs }, limits, job.signal, advance),
    );
  let statistics = await encodeFrom(entry);
  const isOfSize = isOfStatedSize(source, statistics.inputShapes);
  if (source.isPartial === true) {
    if (!isOfSize || statistics.decodedFrames < picturesFrom(entry, plans, source)) throw new MissingPackets();
  } else if (entry.seekSeconds !== undefined && (!isOfSize || statistics.decodedFrames < entry.frames)) {
    job.log.warn({ entry }, 'Pictures are missing after the entry, or have another size; decoding from the beginning');
    statistics = await encodeFrom({ ...entry, seekSeconds: undefined });
  }
  await removeSubtitles(texts);
  const { encodedFrames, decodedFrames } = statistics;
  checkConstant(source, statistics, 'which cannot be encoded');
  checkDecoded(source, entry.frames, decodedFrames);
  for (const [{ path }, sound] of soundOf) await finishMuxedSound(path, sound);
  for (const { path, plan, pass } of targets) if (pass?.number !== 1) await finishLastPicture(path, plan);
  return targets.map(({ plan }, index) => ({
    frames: encodedFrames.get(index) ?? 0,
    seconds: plannedSeconds(plan.video.timing),
  }));
}

/**
 * Runs twice a second. It is synchronous, because an asynchronous answer could arrive after the next phase has started.
 */
function writtenBytes(targets: readonly PictureTarget[]): number {
  return targets.reduce((sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Begins a fragment at each key frame, so that pictures can be dropped before and after the segment. */
const segmentMuxer = ['-movflags', '+frag_keyframe+delay_moov+default_base_moof+skip_trailer', '-f', 'mp4'];

/** `mapped` maps the streams beside its pictures. */
function outputArguments(
  { plan, pass, segmentKeys }: PictureTarget,
  index: number,
  mapped: readonly string[],
): string[] {
  // Filters have already timed each picture.
  const encoder = [
    ...encoderArguments(plan.video, pass, segmentKeys),
    ...orderArguments(plan),
    ...['-fps_mode', 'passthrough'],
  ];
  if (pass?.number === 1) return ['-map', `[v${index}]`, ...encoder, '-f', 'null'];
  const { demuxer } = containers[plan.container];
  const { fourCharacterCode } = videoCodecFacts(plan.video.codec);
  return [
    ...['-map', `[v${index}]`],
    ...tagArguments(plan),
    ...mapped,
    ...encoder,
    ...lastPictureArguments(plan),
    ...(fourCharacterCode !== undefined && demuxer === 'mov' ? ['-tag:v', fourCharacterCode] : []),
    ...(segmentKeys === undefined ? muxerArguments(plan) : segmentMuxer),
  ];
}

/** Allows damaged packets, but no further loss, in a whole source. */
function checkDecoded(source: PictureSource, neededFrames: number, decodedFrames: number): void {
  const { frames } = source;
  const seconds = pictureSeconds(source);
  const missingSeconds = (seconds * Math.max(0, neededFrames - decodedFrames)) / frames;
  const neededSeconds = Math.min(seconds, (seconds * neededFrames) / frames);
  if (decodedFrames > 0 && missingSeconds <= Math.max(2, neededSeconds * 0.02)) return;
  throw new MediaError(
    'source_truncated',
    `The source is damaged: ${Math.round(neededFrames)} of its pictures are needed, and only ${decodedFrames} could be decoded.`,
    { details: { declaredFrames: Math.round(neededFrames), actualFrames: decodedFrames } },
  );
}
