import { containers } from '../../../contract/formats.ts';
import { videoCodecFacts } from '../../../contract/video-codecs.ts';
import { decodeGuards, pictureDecodeGuards } from '../../ffmpeg/guards.ts';
import { probeFile } from '../../ffmpeg/probe.ts';
import type { JobContext } from '../../jobs/job.ts';
import { tagArguments } from '../arguments.ts';
import { runWithinLimits } from '../limited-run.ts';
import type { RunLimits } from '../limits.ts';
import { soundCopyOptions } from '../video/copied-sound.ts';
import type { PictureTarget } from '../video/encode-pictures.ts';
import type { PictureSource } from '../video/picture-source.ts';
import { findKeyProblem, findPictureProblem, measurePictures } from '../video/verify-pictures.ts';
import { plannedSeconds } from '../video/video-timing.ts';
import { readKeyPictures } from './key-pictures.ts';

/** Copies the pictures of a source beside their sound. Answers why the file cannot be taken, as a sentence; undefined where it can. */
export async function copyPictures(
  source: PictureSource,
  { plan, path, soundPath }: PictureTarget,
  limits: RunLimits,
  job: JobContext,
): Promise<string | undefined> {
  const { muxer, muxerOptions, demuxer } = containers[plan.container];
  const { fourCharacterCode } = videoCodecFacts(plan.video.codec);
  const { input, output } = soundCopyOptions(plan);
  const options = [
    ...['-map', `0:${source.index}`, '-c:v', 'copy'],
    // The first picture at 0, by whole ticks.
    ...['-bsf:v', `setts=pts=PTS-${source.startTicks}:dts=DTS-${source.startTicks}`],
    ...(fourCharacterCode !== undefined && demuxer === 'mov' ? ['-tag:v', fourCharacterCode] : []),
    ...(soundPath === undefined ? [] : ['-map', '1:a:0', '-c:a', 'copy', ...output]),
    ...tagArguments(plan),
    ...muxerOptions,
    ...['-f', muxer],
  ];
  const seconds = plannedSeconds(plan.video.timing);
  const run = {
    input: source.path,
    // Of some files only its decoder knows what a stream is.
    inputOptions: [...pictureDecodeGuards(1), '-copyts'],
    furtherInputs: soundPath === undefined ? [] : [soundPath],
    furtherInputOptions: () => [...decodeGuards, ...input],
    outputs: [{ path, options }],
  };
  await runWithinLimits(run, limits, job.signal, (mediaSeconds, speed) =>
    job.advance('encode', mediaSeconds / seconds, speed),
  );
  return await findProblem(source, { plan, path, soundPath }, limits, job.signal);
}

/** Averages of encoders are near what was asked for. */
const bitrateTolerance = 1.1;

async function findProblem(
  source: PictureSource,
  { plan, path }: PictureTarget,
  limits: RunLimits,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { video, container, encodedInstead } = plan;
  const { streams } = await probeFile(path, { signal, demuxer: containers[container].demuxer });
  const stream = streams.find(({ codec_type }) => codec_type === 'video');
  if (stream === undefined) return 'a copy has no pictures';
  const measured = await measurePictures(path, stream, video, signal);
  const found = findPictureProblem(video, measured, source.frames, container);
  if (found !== undefined) return `of a copy ${found}`;
  const { facts } = measured;
  if (video.bitrate !== undefined && facts.bitrate > video.bitrate * bitrateTolerance) {
    return `the source's pictures have ${facts.bitrate} kbit/s`;
  }
  const keys = encodedInstead?.video && findKeyProblem(encodedInstead.video, measured);
  if (keys !== undefined) return `of a copy ${keys}`;
  const [own, copied] = [
    await readKeyPictures(source.path, source.index, limits, signal),
    await readKeyPictures(path, stream.index, limits, signal),
  ];
  if (own.shapes > 1) return 'the source changes the size of its pictures or their pixel format in the middle';
  return own.hashes.join() === copied.hashes.join() ? undefined : 'a copy does not show the same pictures';
}
