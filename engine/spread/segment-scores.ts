import { appendFile } from 'node:fs/promises';
import { boxHeaderSize, buildBox, walkBoxes } from '../formats/isobmff/box.ts';
import { WindowedFile } from '../formats/windowed-file.ts';
import type { PictureScoreList } from '../pictures/quality/score-log.ts';

/** Scores of a segment's pictures in display order. */
export type SegmentScores = Omit<PictureScoreList, 'motion'>;

const measures = ['vmaf', 'psnr', 'ssim'] as const;

/** Type of a box after the fragments. Its body has the scores of each measure, as 32-bit floats (little-endian). */
const boxType = 'scor';
const scoreBytes = Float32Array.BYTES_PER_ELEMENT;

/** Type of a box whose body has the rate factors of the segment's scenes, likewise as floats. */
const sceneBoxType = 'scen';

function floatsOf(values: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(values.length * scoreBytes);
  for (let index = 0; index < values.length; index += 1) bytes.writeFloatLE(values[index] ?? 0, index * scoreBytes);
  return bytes;
}

/** Adds the scores of its pictures to the file of a segment. */
export async function appendScores(path: string, scores: SegmentScores): Promise<void> {
  const body = measures.map((measure) => floatsOf(scores[measure]));
  await appendFile(path, buildBox(boxType, Buffer.concat(body)));
}

/** Adds the rate factors of its scenes to the file of a segment. */
export async function appendSceneCrfs(path: string, crfs: readonly number[]): Promise<void> {
  await appendFile(path, buildBox(sceneBoxType, floatsOf(crfs)));
}

/** Reads the rate factors of the scenes of all segments; undefined if they have none. */
export async function readSceneCrfs(paths: readonly string[]): Promise<number[] | undefined> {
  const crfs: number[] = [];
  for (const path of paths) {
    const body = (await WindowedFile.use(path, (file) => readBoxOf(file, sceneBoxType))) ?? Buffer.alloc(0);
    for (let at = 0; at < body.length; at += scoreBytes) crfs.push(body.readFloatLE(at));
  }
  return crfs.length === 0 ? undefined : crfs;
}

/** Scores of a film, and the first pictures of all segments except the first. */
interface PooledScores {
  scores: SegmentScores;
  seams: number[];
}

/** Pools the scores of all segments. Undefined if a segment has none, as from a container of an older version. */
export async function poolScores(paths: readonly string[], frames: number): Promise<PooledScores | undefined> {
  const seams: number[] = [];
  const scores: SegmentScores = {
    vmaf: new Float32Array(frames),
    psnr: new Float32Array(frames),
    ssim: new Float32Array(frames),
  };
  let place = 0;
  for (const path of paths) {
    const body = await WindowedFile.use(path, (file) => readBoxOf(file, boxType));
    if (body === undefined) return undefined;
    const count = body.length / scoreBytes / measures.length;
    for (const [row, measure] of measures.entries()) {
      for (let index = 0; index < count; index += 1) {
        scores[measure][place + index] = body.readFloatLE((row * count + index) * scoreBytes);
      }
    }
    if (place > 0) seams.push(place);
    place += count;
  }
  return place === frames ? { scores, seams } : undefined;
}

/** Returns the body of the box, whose file `joinFragments` has read. */
async function readBoxOf(file: WindowedFile, type: string): Promise<Buffer | undefined> {
  for await (const box of walkBoxes(file)) {
    if (box.type === type) return Buffer.from(await file.read(box.at + boxHeaderSize, box.size - boxHeaderSize));
  }
  return undefined;
}
