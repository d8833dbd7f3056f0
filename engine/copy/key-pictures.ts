import { pictureDecodeGuards } from '../ffmpeg/guards.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';

/** The key frames of a stream, decoded. */
interface KeyPictures {
  /** of the pixels of each */
  hashes: string[];
  /** More than one: the size or the pixel format changes in the middle. */
  shapes: number;
}

const hashLine = /^\d+,.*,\s*([0-9a-f]{32})$/;

/** Decodes the key frames alone, a few hundredths of the work of all. */
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
    ...{ limits, signal, onProgress: () => {} },
    onOutput: (text) => (written += text),
  });
  const hashes = written.split('\n').flatMap((line) => hashLine.exec(line)?.[1] ?? []);
  return { hashes, shapes: inputShapes.size };
}
