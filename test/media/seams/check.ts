/**
 * Do films of many joined segments have the pictures of one encoder, or as good ones? Encodes a film in segments on a
 * container, and by one encoder, with a key frame at each border. `npm run check:seams -- [--film path] [--height 1080]
 * [--seams 20] [--seconds 2] [codec …]`; `--seconds` is the length of a segment. Without a film, it makes one of pans,
 * cuts and grain. The status is 1 if pictures by `crf` differ, or others are worse.
 */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { detailedInput } from '../../../bench/detailed-clip.ts';
import { comparePictures } from '../../../bench/spread-quality.ts';
import type { DescribedOutput } from '../../../contract/http/output.ts';
import { TestContainer } from '../../support/container.ts';
import { pictureHashes, picturePackets } from '../../support/films.ts';
import { words } from '../../support/media-files.ts';
import { encodeSegments } from '../../support/parts.ts';
import { run } from '../../support/process.ts';

const { values, positionals } = parseArgs({
  options: {
    film: { type: 'string' },
    height: { type: 'string', default: '1080' },
    seams: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '2' },
  },
  allowPositionals: true,
});
const [height, seams, seconds] = [values.height, values.seams, values.seconds].map(Number) as [number, number, number];
const fps = 25;
const filmSeconds = (seams + 1) * seconds;
const size = `${(height * 16) / 9}:${height}`;

interface Case {
  output: DescribedOutput;
  /** The pictures must be equal. */
  isExact: boolean;
}

/** Fixed key frames, so that one encoder has them at the borders too. */
const interval = { speed: 'fast', keyframeInterval: seconds } as const;
const cases: Readonly<Record<string, Case>> = {
  h264: { output: { container: 'mp4', video: { ...interval, codec: 'h264', crf: 23 }, audio: false }, isExact: true },
  hevc: { output: { container: 'mp4', video: { ...interval, codec: 'hevc', crf: 26 }, audio: false }, isExact: true },
  av1: { output: { container: 'mp4', video: { ...interval, codec: 'av1', crf: 35 }, audio: false }, isExact: true },
  vp9: { output: { container: 'webm', video: { ...interval, codec: 'vp9', crf: 35 }, audio: false }, isExact: false },
  cap: {
    output: { container: 'mp4', video: { ...interval, codec: 'h264', crf: 20, maxBitrate: 2000 }, audio: false },
    isExact: false,
  },
};

async function ffmpeg(args: readonly string[]): Promise<void> {
  const { code, output } = await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], { timeoutMs: 3_600_000 });
  if (code !== 0) throw new Error(output);
}

const container = await TestContainer.start({ JOB_TIMEOUT_SECONDS: '86400' });
const path = (name: string): string => join(container.mediaRoot, name);
const film = path('film.mp4');

async function makeFilm(): Promise<void> {
  const cuts = "negate=enable='lt(mod(t,7),3.5)',hflip=enable='lt(mod(t,14),7)'";
  const input =
    values.film === undefined
      ? detailedInput(height, filmSeconds, [cuts])
      : ['-stream_loop', '-1', '-i', values.film, '-an', '-vf', `scale=${size},fps=${fps},noise=alls=6:allf=t`];
  const encoder = words(`-c:v libx264 -preset ultrafast -crf 17 -pix_fmt yuv420p -bf 0 -g ${fps} -t ${filmSeconds}`);
  await ffmpeg([...input, ...encoder, film]);
}

async function check(name: string, { output, isExact }: Case): Promise<boolean> {
  const sourceUrl = container.fileUrl('film.mp4');
  const [many, one] = [`many-${name}`, `one-${name}`];
  const make = async (file: string, extra: object = {}): Promise<void> => {
    const outputs = [{ ...output, uploadUrl: container.fileUrl(file) }];
    const { body } = await container.call('POST', '/encode', { sourceUrl, outputs, ...extra });
    if (body.success !== true) throw new Error(`${file}: ${JSON.stringify(body)}`);
  };
  const division = { segments: seams + 1, segmentSeconds: { least: seconds, most: seconds } };
  const made = await encodeSegments(container, { sourceUrl, folder: name }, [output], division);
  if (made.kind === 'whole') throw new Error(made.reason);
  await make(many, { part: made.join });
  const borders = made.segments.map(({ from }) => from).filter((from) => from > 0);
  await make(one);
  if (isExact) {
    const [own, wanted] = [await pictureHashes(path(many)), await pictureHashes(path(one))];
    const wrong = wanted.filter((hash, index) => own[index] !== hash).length;
    const packets = async (file: string): Promise<string> => JSON.stringify(await picturePackets(path(file)));
    const isTimed = (await packets(many)) === (await packets(one)) && own.length === wanted.length;
    console.log(
      `${name}: ${borders.length} seams, ${wrong} of ${wanted.length} pictures differ, times and key frames ${isTimed ? 'equal' : 'DIFFER'}`,
    );
    return wrong === 0 && isTimed;
  }
  const figures = await comparePictures({ source: film, one: path(one), many: path(many) }, borders, {
    fps,
    folder: container.mediaRoot,
  });
  const figure = (of: keyof typeof figures): number => figures[of].values[0] ?? Number.NaN;
  const grown = (await stat(path(many))).size / (await stat(path(one))).size;
  const mean = figure('mean VMAF') - figure('mean VMAF of one');
  const lowest = figure('lowest 1 %') - figure('lowest 1 % of one');
  console.log(
    `${name}: ${borders.length} seams, size ${grown.toFixed(4)}, VMAF ${mean.toFixed(3)}, lowest 1 % ${lowest.toFixed(3)}, worst seam ${figure('worst seam').toFixed(3)} beside one encoder`,
  );
  return Math.abs(grown - 1) <= 0.01 && mean >= -0.1 && lowest >= -0.5;
}

try {
  await mkdir(container.mediaRoot, { recursive: true });
  await makeFilm();
  const names = positionals.length === 0 ? Object.keys(cases) : positionals;
  for (const name of names) {
    const one = cases[name];
    if (one === undefined) throw new Error(`There is no codec "${name}". Choose of ${Object.keys(cases).join(', ')}`);
    if (!(await check(name, one))) process.exitCode = 1;
  }
} finally {
  await container.stop();
}
