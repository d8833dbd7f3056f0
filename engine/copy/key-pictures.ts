import { pictureDecodeGuards } from '../ffmpeg/guards.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';

/** Decoded key frames of a stream. */
interface KeyPictures {
  /** Hash of each picture's pixels. */
  hashes: string[];
  /** More than one if the size or pixel format changes midway. */
  shapes: number;
}

const hashLine = /^\d+,.*,\s*([0-9a-f]{32})$/;

/** Decodes only the key frames, a few hundredths of the work for all pictures. */
export async function readKeyPictures(
  path: string,
  stream: number,
  limits: RunLimits,
  signal: AbortSignal,
): Promise<KeyPictures> {
  let written = '';
  const { inputShapes } = await runFfmpeg({
    input: path,
    inputOptions: [...pictureDecodeGuards(2), '-skip_frame:v', 'nokey', '-noautorotate'],
    outputs: [
      { path: '-', options: ['-map', `0:${stream}`, '-fps_mode', 'passthrough', '-f', 'framehash', '-hash', 'md5'] },
    ],
    ...{ limits, signal },
    onOutput: (text) => (written += text),
  });
  const hashes = written.split('\n').flatMap((line) => hashLine.exec(line)?.[1] ?? []);
  return { hashes, shapes: inputShapes.size };
}
