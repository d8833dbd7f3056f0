import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { videoCodecFacts } from '../../contract/video-codecs.ts';
import type { EncoderPass } from './encoder-arguments.ts';
import type { PictureTarget } from './picture-target.ts';

/** A first pass, whose result only the encoder reads. */
export type FirstPass = PictureTarget & { pass: EncoderPass };

/** First passes of the outputs that distribute their bits in two passes. */
export function firstPasses(targets: readonly PictureTarget[]): FirstPass[] {
  return targets.flatMap((target) => {
    const { codec, bitrate } = target.plan.video;
    if (bitrate === undefined || videoCodecFacts(codec).hasTwoPasses !== true) return [];
    // Uses a folder of its own, because encoders write several files, up to a gigabyte for an hour of 1080p.
    const statisticsPath = join(`${target.path}-pass`, 'statistics');
    return [{ ...target, soundPath: undefined, pass: { number: 1, statisticsPath } }];
  });
}

export async function prepareFirstPasses(first: readonly FirstPass[]): Promise<void> {
  for (const { pass } of first) await mkdir(dirname(pass.statisticsPath));
}

export async function removeStatistics(first: readonly FirstPass[]): Promise<void> {
  for (const { pass } of first) await rm(dirname(pass.statisticsPath), { recursive: true, force: true });
}

/** All outputs, with the statistics of their first passes. */
export async function secondPasses(
  targets: readonly PictureTarget[],
  first: readonly FirstPass[],
): Promise<PictureTarget[]> {
  const second: PictureTarget[] = [];
  let streams = 0;
  for (const target of targets) {
    const place = first.findIndex(({ path }) => path === target.path);
    const statisticsPath = first[place]?.pass.statisticsPath;
    if (statisticsPath === undefined) second.push(target);
    else {
      second.push({ ...target, pass: { number: 2, statisticsPath } });
      // ffmpeg appends the stream's number within its run to the name.
      if (target.plan.video.codec === 'vp9') {
        await rename(`${statisticsPath}-${place}.log`, `${statisticsPath}-${streams}.log`);
      }
    }
    streams += (target.soundPath === undefined ? 1 : 2) + (target.plan.subtitles?.tracks.length ?? 0);
  }
  return second;
}
