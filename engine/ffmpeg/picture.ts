import { MediaError } from '../media-error.ts';
import type { ProcessLimits } from './process-limits.ts';
import { runFfmpeg } from './run.ts';

export interface PictureRun {
  limits: ProcessLimits;
  signal: AbortSignal;
}

/** True if a picture can be decoded to its end by the decoder that `guards` allow. */
export async function isWholePicture(
  path: string,
  guards: readonly string[],
  { limits, signal }: PictureRun,
): Promise<boolean> {
  const inputOptions = [...guards, '-err_detect', 'explode', '-xerror'];
  const outputs = [{ path: '-', options: ['-map', '0:v:0', '-frames:v', '1', '-f', 'null'] }];
  try {
    await runFfmpeg({ input: path, inputOptions, outputs, limits, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof MediaError && /^(?:undecodable_source|ffmpeg_failed)$/.test(error.code)) return false;
    throw error;
  }
}
