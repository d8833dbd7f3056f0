/**
 * What does a film cost over the plain ffmpeg command with the same settings? In turn on one clip through `POST
 * /encode`: each codec at 1080p, four sizes (`sizes`) from one decode against four plain runs, and `memory` by size.
 * `npm run bench:video -- [seconds] [rounds] [codec|sizes|memory …]`, 60, 3 and all by default.
 */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerFacts, containers, type ContainerName } from '../contract/formats.ts';
import type { DescribedOutput } from '../contract/http/output.ts';
import { type VideoCodec, videoCodecFacts, videoCodecs } from '../contract/video-codecs.ts';
import { planOutput } from '../engine/products/file/plan-output.ts';
import { openSource } from '../engine/source/source.ts';
import { encoderArguments } from '../engine/pictures/encoder-arguments.ts';
import { openPictures } from '../engine/source/pictures/open-pictures.ts';
import { jobIn, limits } from '../test/engine/sound/segmented/support.ts';
import { TestContainer } from '../test/support/container.ts';
import { run } from '../test/support/process.ts';
import { type Cost, cost } from './cost.ts';
import { makeClip } from './detailed-clip.ts';
import { runPlainFfmpeg } from './plain-ffmpeg.ts';
import { peakMebibytes, watchMemory } from './process-memory.ts';
import { settleFile } from '../test/support/settled-outputs.ts';
import { inUnit, more, ratios, report } from './report.ts';

const [secondsText = '60', roundsText = '3', ...named] = process.argv.slice(2);
const [seconds, rounds] = [Number(secondsText), Number(roundsText)];
const job = jobIn(tmpdir());

const clip = await makeClip(seconds);
const container = await TestContainer.start({ JOB_TIMEOUT_SECONDS: '86400' });
await run('ln', [clip, join(container.mediaRoot, 'clip')]);

function containerOf(codec: VideoCodec): ContainerName {
  const names = Object.keys(containers) as ContainerName[];
  return names.find((name) => containerFacts(name).videoCodecs?.includes(codec)) ?? 'mkv';
}

/** Arguments that a person would type for the same pictures and a sound of the same bitrate. */
async function plainArguments(output: DescribedOutput): Promise<string[]> {
  const settings = settleFile(output);
  const source = await openPictures(await openSource(clip, limits, job.signal), [settings], limits, job);
  const { video, audio, container: name } = planOutput(settings, source);
  if (video === undefined) throw new Error('it has no pictures');
  const { width, height } = video.shape.size;
  const isScaled = width !== source.pictures?.coded.width || height !== source.pictures.coded.height;
  const { muxer, muxerOptions } = containers[name];
  return [
    ...['-map', '0:v:0'],
    ...(isScaled ? ['-vf', `scale=${width}:${height}:flags=lanczos+accurate_rnd+full_chroma_int`] : []),
    ...['-pix_fmt', video.pixelFormat, ...encoderArguments(video)],
    ...(audio === undefined
      ? ['-an']
      : ['-map', '0:a:0', '-c:a', audio.codec === 'opus' ? 'libopus' : 'aac', '-b:a', '128k']),
    ...[...muxerOptions, '-f', muxer],
  ];
}

async function byPlainFfmpeg(all: readonly (readonly string[])[]): Promise<Cost> {
  return await runPlainFfmpeg(all.map((args) => ['-i', clip, ...args, join(container.mediaRoot, 'plain')]));
}

async function encode(outputs: readonly DescribedOutput[]): Promise<void> {
  const { body } = await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl('clip'),
    outputs: outputs.map((output, index) => ({ ...output, uploadUrl: container.fileUrl(`made-${index}`) })),
  });
  if (body.success !== true) throw new Error(JSON.stringify(body));
}

const byHoldfast = async (outputs: readonly DescribedOutput[]): Promise<Cost> =>
  await cost(() => encode(outputs), container.process.pid);

async function compare(name: string, outputs: readonly DescribedOutput[]): Promise<void> {
  const plain: string[][] = [];
  // The outputs are planned in turn, because each plan reads the clip in the same folder.
  for (const output of outputs) plain.push(await plainArguments(output));
  const [ours, theirs]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    // The second one finds the clip in memory, so they take turns.
    const ffmpegFirst = round % 2 === 0;
    if (ffmpegFirst) theirs.push(await byPlainFfmpeg(plain));
    ours.push(await byHoldfast(outputs));
    if (!ffmpegFirst) theirs.push(await byPlainFfmpeg(plain));
  }
  report('video', name, { ...ratios(ours, theirs), 'more than 1.005 of ffmpeg': more(ours, theirs, 1.005) });
}

const isWanted = (name: string): boolean => named.length === 0 || named.includes(name);
const codecs = (Object.keys(videoCodecs) as VideoCodec[]).filter(
  (codec) => !videoCodecFacts(codec).isLossless && isWanted(codec),
);
const outputOf = (codec: VideoCodec, video = {}): DescribedOutput => ({
  container: containerOf(codec),
  video: { codec, ...video },
});

async function measureMemory(): Promise<void> {
  report('video-memory', 'Node', { peak: inUnit('MiB', peakMebibytes(container.process.pid)) });
  for (const codec of codecs) {
    for (const [width, height] of [
      [640, 360],
      [1280, 720],
      [1920, 1080],
      [3840, 2160],
    ] as const) {
      // Memory is not watched during a timed run: looking for the processes costs time.
      const encoding = encode([outputOf(codec, { width, height, fit: 'stretch' })]);
      const peak = await watchMemory(container.scratchDir, encoding);
      await encoding;
      report('video-memory', `${codec} ${width}x${height}, medium`, { peak: inUnit('MiB', peak) });
    }
  }
}

try {
  for (const codec of codecs) await compare(`${seconds} s to ${codec}, medium`, [outputOf(codec)]);
  if (isWanted('sizes')) {
    await compare(
      `${seconds} s to four sizes, fast`,
      [1080, 720, 480, 360].map((height) => outputOf('h264', { height, speed: 'fast' })),
    );
  }
  if (isWanted('memory')) await measureMemory();
} finally {
  await container.stop();
  await rm(join(container.mediaRoot, 'plain'), { force: true });
}
