import { rm } from 'node:fs/promises';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import { listPackets } from '../../ffmpeg/packet-list.ts';
import type { Size } from '../../ffmpeg/size.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import type { Work } from '../../work.ts';
import { encodePictures } from '../encode-pictures.ts';
import type { PictureTarget } from '../picture-target.ts';

/** Consecutive pictures, counted from the first one of the film: from `from`, before `to`. */
export interface Scene {
  from: number;
  to: number;
}

/** Width in pixels of the pictures among which scenes are sought. */
const searchedWidth = 160;

/** An encoder gets its scenes in one argument, of up to 128 KiB. */
const mostScenes = 2000;

/**
 * Finds the scenes of a film. x264 begins a group of pictures where a scene begins, so the film is encoded fast and
 * small. A scene lasts at least about a second, and at most ten: longer ones are divided.
 */
export async function findScenes(
  source: PictureSource,
  film: PictureTarget,
  limits: PictureLimits,
  work: Work,
): Promise<Scene[]> {
  const searched = smallFilm(film);
  await encodePictures(source, [searched], limits, work);
  const packets = await listPackets(searched.path, 0, work.signal);
  await rm(searched.path);
  const shown = packets.toSorted((one, other) => (one.pts ?? 0) - (other.pts ?? 0));
  return scenesOf(
    shown.flatMap(({ isKey }, index) => (isKey ? index : [])),
    shown.length,
  );
}

/** Divides pictures at these key frames (pure). */
export function scenesOf(keys: readonly number[], frames: number): Scene[] {
  const step = Math.ceil(keys.length / mostScenes);
  const starts = keys.filter((_, index) => index % step === 0);
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? frames }));
}

function smallFilm({ plan, path }: PictureTarget): PictureTarget {
  const { audio: _, subtitles: __, metadata: ___, ...film } = plan;
  const { level: ____, mastering: _____, watermark: ______, drawnSubtitles: _______, ...video } = plan.video;
  const size = smallSize(video.shape.size);
  const fast = { codec: 'h264', speed: 'fast', pixelFormat: 'yuv420p', crf: 30, threads: 1 } as const;
  const free = { maxBitrate: undefined, keyframeSeconds: undefined, fade: undefined } as const;
  return {
    plan: { ...film, container: 'mp4', video: { ...video, ...fast, ...free, shape: { size, scaled: size } } },
    path: `${path}-scenes`,
    soundPath: undefined,
  };
}

function smallSize({ width, height }: Size): Size {
  const factor = Math.min(1, searchedWidth / width);
  const even = (pixels: number): number => Math.max(16, 2 * Math.round((pixels * factor) / 2));
  return { width: even(width), height: even(height) };
}
