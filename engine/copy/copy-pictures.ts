import { containers } from '../../contract/formats.ts';
import { pictureDecodeGuards } from '../ffmpeg/guards.ts';
import { movedClock } from '../ffmpeg/moved-clock.ts';
import { probeFile } from '../ffmpeg/probe.ts';
import type { Work } from '../work.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { lastPictureArguments } from '../pictures/last-picture.ts';
import { muxCopied } from '../pictures/mux-copied.ts';
import type { PictureTarget } from '../pictures/picture-target.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import {
  findKeyProblem,
  findPictureProblem,
  type MeasuredPictures,
  measurePictures,
} from '../pictures/verify-pictures.ts';
import { timingStart } from '../pictures/video-timing.ts';
import { bitrateTolerance } from './copy-sound.ts';
import { readKeyPictures } from './key-pictures.ts';

/**
 * Copies the pictures of a source and combines them with their sound. Returns the reason, as a sentence, if the copy
 * cannot be used.
 */
export async function copyPictures(
  source: PictureSource,
  target: PictureTarget,
  limits: RunLimits,
  job: Work,
): Promise<string | undefined> {
  const copied = {
    path: source.path,
    index: source.index,
    // For some files, only the decoder can identify a stream.
    inputOptions: [...pictureDecodeGuards(1), ...movedClock(timingStart(target.plan.video.timing), source.formatName)],
    options: lastPictureArguments(target.plan, risingTimes(source)),
  };
  await muxCopied(copied, target, limits, job);
  return await findProblem(source, target, limits, job.signal);
}

/**
 * Makes decoding times rise. Matroska has none, and those that ffmpeg derives for the first packets may not precede the
 * first picture. Where one recording follows another, its first packets may be earlier than the previous recording's
 * last. Times are in the container's ticks.
 */
function risingTimes({ undatedPackets }: PictureSource): string {
  const dated = undatedPackets === 0 ? 'DTS' : `if(lt(N\\,${undatedPackets})\\,min(DTS\\,N-${undatedPackets})\\,DTS)`;
  return `pts=PTS:dts=max(${dated}\\,PREV_OUTDTS+1)`;
}

const notAsPlanned = (problem: string): string => `the copied pictures differ from the plan (${problem})`;

/** Checks that key frames at the source's constant rate are as far apart as requested. */
function findCopiedKeyProblem(
  plan: VideoPlan,
  { constantRate: fps, frames }: PictureSource,
  measured: MeasuredPictures,
): string | undefined {
  if (plan.keyframeSeconds === undefined || fps === undefined) return undefined;
  const timing = { kind: 'constant', fps, frames, startSeconds: 0 } as const;
  const found = findKeyProblem({ ...plan, timing }, measured);
  return found && "the source's key frames are not as far apart as asked";
}

async function findProblem(
  source: PictureSource,
  { plan, path }: PictureTarget,
  limits: RunLimits,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { video, container } = plan;
  const { streams } = await probeFile(path, { signal, demuxer: containers[container].demuxer });
  const stream = streams.find(({ codec_type }) => codec_type === 'video');
  if (stream === undefined) return notAsPlanned('there are none');
  const measured = await measurePictures(path, stream, video, signal);
  const found = findPictureProblem(video, measured, source.frames, container);
  if (found !== undefined) return notAsPlanned(found);
  const { facts } = measured;
  if (video.bitrate !== undefined && facts.bitrate > video.bitrate * bitrateTolerance) {
    return `the source's pictures have ${facts.bitrate} kbit/s`;
  }
  const keys = findCopiedKeyProblem(video, source, measured);
  if (keys !== undefined) return keys;
  const [own, copied] = [
    await readKeyPictures(source.path, source.index, limits, signal),
    await readKeyPictures(path, stream.index, limits, signal),
  ];
  if (own.shapes > 1) return 'the source changes the size of its pictures or their pixel format in the middle';
  return own.hashes.join() === copied.hashes.join() ? undefined : 'a copy does not show the same pictures';
}
