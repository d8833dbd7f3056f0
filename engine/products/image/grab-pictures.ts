import { rm, stat } from 'node:fs/promises';
import { MediaError } from '../../media-error.ts';
import { isDecodeRefusal } from '../../ffmpeg/failure.ts';
import { decoderThreads, seekOptions } from '../../ffmpeg/picture-entry.ts';
import type { FinalStatistics } from '../../ffmpeg/statistics.ts';
import type { PictureShape } from '../../plan/video-plan.ts';
import { checkConstant, isOfStatedSize } from '../../source/pictures/decoded-size.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import type { RunLimits } from '../../ffmpeg/limits.ts';
import { runWithinLimits } from '../../ffmpeg/limited-run.ts';
import { pictureDecodeGuards } from '../../ffmpeg/guards.ts';
import { grabGraph } from './grab-filters.ts';
import { type GrabRun, planGrab } from './grab-plan.ts';
import { type ImageLook, rawBytes } from './image-look.ts';

/** Pictures of a film and the format in which they are written. */
export interface Grab {
  film: PictureSource;
  shape: PictureShape;
  look: ImageLook;
  /** Path of the scratch file of each run. */
  path: string;
  limits: RunLimits;
  signal: AbortSignal;
  /** Receives the finished share, from 0 to 1. */
  onProgress(fraction: number): void;
}

/** A file of decoded pictures, which is removed when the next pictures are requested. */
export interface Grabbed {
  numbers: readonly number[];
  path: string;
}

/** Limit of one scratch file. */
const mostBytesOfRun = 512 * 1024 ** 2;

/**
 * Decodes these pictures (ascending, each once), and as little else of the film as possible. `optional` skips pictures
 * that cannot be decoded; otherwise the film is decoded from its start, and failure is an error.
 */
export async function* grabPictures(grab: Grab, numbers: readonly number[], optional = false): AsyncGenerator<Grabbed> {
  const { film, path, onProgress, signal } = grab;
  const most = Math.max(1, Math.floor(mostBytesOfRun / rawBytes(grab.shape.size, grab.look)));
  const runs = planGrab(film, numbers, { most });
  try {
    for (const [index, run] of runs.entries()) {
      signal.throwIfAborted();
      onProgress(index / runs.length);
      const isWhole = await tryRun(grab, run);
      if (!isWhole && optional) continue;
      const fromStart = { ...run, entrySeconds: undefined, isOfKeysOnly: false };
      if (!isWhole && !(await tryRun(grab, fromStart))) throw undecodedPictures();
      yield { numbers: run.numbers, path };
    }
    onProgress(1);
  } finally {
    await rm(path, { force: true });
  }
}

function undecodedPictures(): MediaError {
  return new MediaError('undecodable_source', 'The pictures of the source that an image needs cannot be decoded.');
}

/** Throws if the pictures that images were made of change midway. */
export function checkShapes(film: PictureSource, statistics: FinalStatistics): void {
  checkConstant(film, statistics, 'so that images of it cannot be made');
}

/** Whether all pictures were decoded. */
async function tryRun(grab: Grab, run: GrabRun): Promise<boolean> {
  const { film, shape, look, path, limits, signal } = grab;
  await rm(path, { force: true });
  const inputOptions = [
    ...pictureDecodeGuards(decoderThreads),
    // Pictures are selected by the file's own timestamps.
    '-copyts',
    ...(run.isOfKeysOnly ? ['-skip_frame', 'nokey'] : []),
    ...seekOptions(run.entrySeconds),
  ];
  const options = [
    ...['-filter_complex', grabGraph(film, run, shape, look), '-map', '[grabbed]'],
    ...['-frames:v', String(run.numbers.length), '-fps_mode', 'passthrough'],
    ...['-c:v', 'rawvideo', '-f', 'rawvideo'],
  ];
  const outputs = [{ path, options }];
  const decoding = runWithinLimits({ input: film.path, inputOptions, outputs }, limits, signal);
  const statistics = await decoding.catch((error: unknown) => {
    signal.throwIfAborted();
    // A decoder that enters between two key frames may lack their parameters.
    if (run.entrySeconds === undefined || !isDecodeRefusal(error)) throw error;
    return undefined;
  });
  if (statistics === undefined) return false;
  checkShapes(film, statistics);
  // A run from the start decodes the change of size, so that checkShapes finds it.
  if (run.entrySeconds !== undefined && !isOfStatedSize(film, statistics.inputShapes)) return false;
  const { size } = await stat(path);
  return size === run.numbers.length * rawBytes(shape.size, look);
}
