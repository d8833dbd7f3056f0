import { rm } from 'node:fs/promises';
import type { Work } from '../work.ts';
import { errorFacts } from '../../tracing/error-facts.ts';
import { type EncodedFile, unsplitFile } from '../plan/encoded-file.ts';
import { endsTheJob } from '../ends-the-job.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import type { Source } from '../source/source.ts';
import type { PictureTarget } from '../pictures/picture-target.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { timingStart } from '../pictures/video-timing.ts';
import { hidesSound } from './copy-plan.ts';
import { copyPictures } from './copy-pictures.ts';
import { copySound } from './copy-sound.ts';
import type { FailedCopy } from '../plan/copy-decision.ts';

/** Reasons why outputs' copies cannot be used. */
type Problems = Map<PictureTarget, FailedCopy>;

/**
 * Undefined if the copy succeeded. Errors that would fail the job anyway are thrown; after any other, the stream is
 * encoded instead.
 */
async function attempt(
  copy: () => Promise<string | undefined>,
  job: Pick<Work, 'signal' | 'log'>,
): Promise<string | undefined> {
  try {
    return await copy();
  } catch (error) {
    job.signal.throwIfAborted();
    if (endsTheJob(error)) throw error;
    job.log.warn(errorFacts(error), 'The packets of a source cannot be copied');
    return 'its packets cannot be copied';
  }
}

/** Copies the sound of outputs that request it, each to its own file. */
export async function copySounds(
  source: Source,
  targets: readonly PictureTarget[],
  limits: RunLimits,
  job: Work,
): Promise<{ sounds: Map<PictureTarget, EncodedFile>; problems: Problems }> {
  const sounds = new Map<PictureTarget, EncodedFile>();
  const problems: Problems = new Map();
  for (const target of targets) {
    const { plan, soundPath } = target;
    const { audio, video } = plan;
    if (audio?.isCopied !== true || soundPath === undefined) continue;
    const copy = {
      ...{
        input: source.path,
        formatName: source.formatName,
        track: audio.track,
        path: soundPath,
        bitrate: audio.bitrate,
      },
      startSeconds: timingStart(video.timing),
      codec: audio.codec,
      hidesSound: hidesSound(plan.container),
    };
    const problem = await attempt(async () => {
      const copied = await copySound(copy, limits, job);
      if ('problem' in copied) return copied.problem;
      const { packets } = copied;
      const seconds = copied.seconds + (source.tracks[audio.track]?.leadSeconds ?? 0);
      sounds.set(target, { ...unsplitFile, streams: { audio: { seconds, packets } } });
      return undefined;
    }, job);
    if (problem !== undefined) problems.set(target, { kind: 'sound', reason: problem });
  }
  return { sounds, problems };
}

/** Copies the pictures of these outputs and adds their sound, one output after the other. */
export async function copyAllPictures(
  pictures: PictureSource,
  targets: readonly PictureTarget[],
  limits: RunLimits,
  job: Work,
): Promise<Problems> {
  const problems: Problems = new Map();
  for (const target of targets) {
    const problem = await attempt(async () => await copyPictures(pictures, target, limits, job), job);
    if (problem === undefined) continue;
    problems.set(target, { kind: 'pictures', reason: problem });
    job.log.info({ problem }, 'Pictures that were copied are encoded instead');
    await rm(target.path, { force: true });
  }
  return problems;
}
