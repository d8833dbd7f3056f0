import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Size } from '../../ffmpeg/size.ts';
import { pictureGuards } from '../../ffmpeg/guards.ts';
import { isWholePicture, type PictureRun } from '../../ffmpeg/picture.ts';
import { runFfmpeg } from '../../ffmpeg/run.ts';
import { readAvif } from '../../formats/isobmff/avif.ts';
import { MalformedFile } from '../../formats/malformed-file.ts';
import { looks } from './image-look.ts';
import { invalidImage } from './invalid-image.ts';
import { rawInputOptions } from './raw-input.ts';

/** AV1's worst quantiser; 0 is the best. */
const worstCrf = 63;

/** Encodes one picture of a file of decoded pictures. ffmpeg writes one AVIF per run. */
export async function encodeAvif(
  { rawPath, index, path }: { rawPath: string; index: number; path: string },
  { quality = 0, size }: { quality: number | undefined; size: Size },
  run: PictureRun,
): Promise<void> {
  const { pixelFormat } = looks.avif;
  const crf = Math.round(((100 - quality) * worstCrf) / 100);
  await runFfmpeg({
    ...run,
    input: rawPath,
    inputOptions: [...rawInputOptions(size, pixelFormat), '-ss', String(index)],
    outputs: [
      {
        path,
        options: [
          ...['-map', '0:v:0', '-frames:v', '1', '-c:v', 'libaom-av1', '-still-picture', '1'],
          ...['-cpu-used', '6', '-crf', String(crf), '-b:v', '0'],
          ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'iec61966-2-1', '-color_range', 'tv'],
          ...['-f', 'avif'],
        ],
      },
    ],
    onProgress: () => {},
  });
}

/** `temporal_delimiter` of AV1 (AV1 specification, 5.6): a stream begins with it, and an AVIF omits it. */
const temporalDelimiter = Buffer.from([0x12, 0x00]);

/** Checks the AV1 data that an AVIF contains; ffmpeg 5.1 cannot read AVIF itself. */
export async function checkAvif(path: string, { width, height }: Size, run: PictureRun): Promise<void> {
  const streamPath = `${path}.obu`;
  try {
    const picture = readAvif(await readFile(path));
    if (picture.width !== width || picture.height !== height) {
      throw invalidImage(`it has ${picture.width}x${picture.height} pixels`);
    }
    await writeFile(streamPath, Buffer.concat([temporalDelimiter, picture.stream]));
    if (!(await isWholePicture(streamPath, pictureGuards('obu', 'libdav1d'), run))) {
      throw invalidImage('its picture cannot be decoded');
    }
  } catch (error) {
    if (error instanceof MalformedFile) throw invalidImage(`it is ${error.message}`);
    throw error;
  } finally {
    await rm(streamPath, { force: true });
  }
}
