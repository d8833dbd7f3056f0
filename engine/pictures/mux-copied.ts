import { containers } from '../../contract/formats.ts';
import { videoCodecFacts } from '../../contract/video-codecs.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import { runWithinLimits } from '../ffmpeg/limited-run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { muxerArguments, tagArguments } from '../sound/arguments.ts';
import { removeSubtitles, subtitleArguments, writeSubtitles } from '../subtitles/write-subtitles.ts';
import type { Work } from '../work.ts';
import { finishMuxedSound, muxedSoundArguments, planMuxedSound } from './muxed-sound.ts';
import { finishLastPicture } from './last-picture.ts';
import type { PictureTarget } from './picture-target.ts';
import { plannedSeconds } from './video-timing.ts';

/** A file whose encoded pictures become those of an output. */
export interface CopiedPictures {
  path: string;
  /** Place of the pictures among the streams of the file. */
  index: number;
  inputOptions: readonly string[];
  /** Options of the copied stream. */
  options: readonly string[];
}

/** Copies encoded pictures into the file of an output, and combines them with its sound and subtitles. */
export async function muxCopied(
  from: CopiedPictures,
  { plan, path, soundPath }: PictureTarget,
  limits: RunLimits,
  work: Work,
): Promise<void> {
  const { demuxer } = containers[plan.container];
  const { fourCharacterCode } = videoCodecFacts(plan.video.codec);
  const sound = soundPath === undefined ? undefined : await planMuxedSound(soundPath, plan, work.signal);
  const subtitles = await writeSubtitles(plan.subtitles, path);
  const sounds = sound === undefined ? [] : [{ path: sound.path, options: [...decodeGuards, ...sound.input] }];
  const options = [
    ...['-map', `0:${from.index}`, '-c:v', 'copy', ...from.options],
    ...(fourCharacterCode !== undefined && demuxer === 'mov' ? ['-tag:v', fourCharacterCode] : []),
    ...tagArguments(plan),
    ...(sound === undefined ? [] : muxedSoundArguments(sound, 1)),
    ...subtitleArguments(plan.subtitles, plan.container, 1 + sounds.length),
    ...muxerArguments(plan),
  ];
  const seconds = plannedSeconds(plan.video.timing);
  const run = {
    input: from.path,
    inputOptions: from.inputOptions,
    furtherInputs: [...sounds, ...subtitles],
    outputs: [{ path, options }],
  };
  try {
    await runWithinLimits(run, limits, work.signal, (mediaSeconds, speed) =>
      work.advance('encode', mediaSeconds / seconds, speed),
    );
  } finally {
    // After a failed copy, the encode writes them again.
    await removeSubtitles(subtitles);
  }
  if (sound !== undefined) await finishMuxedSound(path, sound);
  await finishLastPicture(path, plan);
}
