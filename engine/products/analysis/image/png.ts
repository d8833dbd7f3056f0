import { open, rm } from 'node:fs/promises';
import type { ImageSize } from '../../../../contract/analysis-settings.ts';
import { pictureGuards } from '../../../ffmpeg/guards.ts';
import { isWholePicture, type PictureRun } from '../../../ffmpeg/picture.ts';
import { probeFile } from '../../../ffmpeg/probe.ts';
import { runFfmpeg } from '../../../ffmpeg/run.ts';
import { invalidAnalysis } from '../invalid-analysis.ts';

/** Writes the pixels of one row, counted from the top: red, green, blue and opacity, 0 to 255 each. */
export type DrawRow = (row: number, pixels: Uint8Array) => void;

const bytesOfPixel = 4;

/** Rows per write. */
const rowsAtOnce = 64;

/** Lets ffmpeg write a PNG row by row, and reads it back. */
export async function writePng(
  path: string,
  { width, height, drawRow }: ImageSize & { drawRow: DrawRow },
  run: PictureRun,
): Promise<void> {
  const pixelsPath = `${path}.pixels`;
  await writePixels(pixelsPath, { width, height, drawRow }, run.signal);
  const inputOptions = [
    ...pictureGuards('rawvideo', 'rawvideo'),
    ...['-pixel_format', 'rgba', '-video_size', `${width}x${height}`],
  ];
  const options = ['-map', '0:v:0', '-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe'];
  await runFfmpeg({ ...run, input: pixelsPath, inputOptions, outputs: [{ path, options }], onProgress: () => {} });
  await rm(pixelsPath);

  const guards = pictureGuards('png_pipe', 'png');
  const { streams } = await probeFile(path, { signal: run.signal, demuxer: 'png_pipe', guards });
  const [picture] = streams;
  const isAsPlanned = picture?.width === width && picture.height === height;
  if (isAsPlanned && (await isWholePicture(path, guards, run))) return;
  throw invalidAnalysis('image');
}

async function writePixels(
  path: string,
  { width, height, drawRow }: ImageSize & { drawRow: DrawRow },
  signal: AbortSignal,
): Promise<void> {
  const rowBytes = width * bytesOfPixel;
  const rows = Buffer.alloc(rowBytes * Math.min(rowsAtOnce, height));
  const handle = await open(path, 'wx');
  try {
    for (let from = 0; from < height; from += rowsAtOnce) {
      signal.throwIfAborted();
      const count = Math.min(rowsAtOnce, height - from);
      for (let row = 0; row < count; row += 1) {
        drawRow(from + row, rows.subarray(row * rowBytes, (row + 1) * rowBytes));
      }
      await handle.writeFile(rows.subarray(0, count * rowBytes));
    }
  } finally {
    await handle.close();
  }
}
