import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EncodeResult } from '../../../contract/http/encode.ts';
import { randomNumbers } from '../../support/random.ts';
import { fileOf } from '../recipe.ts';
import { filmKinds } from '../video/film-kinds.ts';
import { type ShownPicture, shownPictures } from '../video/shown.ts';
import { type Fuzz, rightRefusals } from './fuzz.ts';
import { mutate } from './mutate.ts';

/** A kind of film (`test/media/video/kinds`) per allowed decoder. ffmpeg cannot encode VC-1, VP6 and Windows Media 9. */
export const kindOfDecoder: Readonly<Record<string, string>> = {
  h264: 'container/mp4',
  hevc: 'codec/hevc of 10 bits',
  libdav1d: 'codec/av1',
  vp8: 'container/webm',
  vp9: 'codec/vp9',
  mpeg1video: 'codec/mpeg1',
  mpeg2video: 'container/mpg program stream',
  mpeg4: 'codec/mpeg4 with B-frames in avi',
  mjpeg: 'codec/mjpeg in avi',
  dnxhd: 'codec/dnxhr',
  dvvideo: 'codec/dv in mov',
  ffv1: 'codec/ffv1',
  ffvhuff: 'codec/ffvhuff',
  huffyuv: 'codec/huffyuv',
  prores: 'codec/prores 4444 with transparency',
  rawvideo: 'codec/raw in avi',
  utvideo: 'codec/utvideo',
  v210: 'codec/v210',
  flv: 'codec/flash video',
  h263: 'codec/h263',
  msmpeg4: 'codec/msmpeg4v3',
  msmpeg4v2: 'codec/msmpeg4v2',
  theora: 'container/ogv',
  wmv1: 'codec/wmv1',
  wmv2: 'container/wmv',
  gif: 'container/gif',
  png: 'codec/png in mov',
  qtrle: 'codec/animation of QuickTime',
};

/** Seconds that a film may lack and still count as damaged only (`engine/pictures/encode-pictures.ts`), with a margin. */
const mostSecondsOff = 2.1;

/**
 * Refusals of damaged films, in addition to those of damaged sound. `output_invalid`: verification finds that a damaged file
 * declares other times for its pictures than its decoder outputs.
 */
const rightOfFilms: ReadonlySet<string> = new Set([...rightRefusals, 'no_video', 'output_invalid', 'source_too_long']);

const spanOf = (pictures: readonly ShownPicture[]): number =>
  pictures.reduce((latest, { time }) => Math.max(latest, time), -Infinity) -
  pictures.reduce((earliest, { time }) => Math.min(earliest, time), Infinity);

/** Encodes a damaged film of a decoder; returns the outcome and any fault. The seed determines the damage. */
export async function attackDecoder(
  fuzz: Fuzz,
  decoder: string,
  seed: number,
): Promise<{ outcome: string; fault?: string }> {
  const kind = filmKinds.find(({ name }) => name === kindOfDecoder[decoder]);
  if (kind === undefined) return { outcome: 'none', fault: `there is no kind of film for ${decoder}` };
  const whole = await readFile(await fileOf(kind.source));
  const { bytes, ways } = mutate(whole, whole, randomNumbers(seed));
  const { container } = fuzz;
  const [source, output] = ['attack', 'attack.mp4'].map((name) => join(container.mediaRoot, name));
  await writeFile(source ?? '', bytes);
  const said = (what: string) => `${decoder}, seed ${seed} (${ways.join(', ')}): ${what}`;
  try {
    const { status, body } = await container.call('POST', '/encode', {
      sourceUrl: container.fileUrl('attack'),
      outputs: [
        {
          container: 'mp4',
          video: { speed: 'fast', crf: 30, width: 64 },
          audio: false,
          uploadUrl: container.fileUrl('attack.mp4'),
        },
      ],
    });
    if (status !== 200) {
      return {
        outcome: body.code,
        ...(!rightOfFilms.has(body.code) && { fault: said(`${body.code}: ${body.error}`) }),
      };
    }
    const stream = EncodeResult.parse(body).outputs[0]?.streams?.find(({ kind: type }) => type === 'video');
    const made = await shownPictures(output ?? '');
    if (stream?.kind !== 'video' || stream.frames !== made.length) {
      return {
        outcome: 'success',
        fault: said(`${made.length} pictures, but the answer says ${JSON.stringify(stream)}`),
      };
    }
    const plain = await shownPictures(source ?? '');
    const off = spanOf(made) - spanOf(plain);
    const isRight = made.length > 0 && Math.abs(off) <= mostSecondsOff;
    return { outcome: 'success', ...(!isRight && { fault: said(`${off.toFixed(2)} s longer than plain ffmpeg's`) }) };
  } finally {
    await Promise.all([source, output].map((path) => rm(path ?? '', { force: true })));
  }
}
