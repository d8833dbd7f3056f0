/**
 * What does a streaming package cost over plain ffmpeg commands that make the same ladder as HLS of fragmented MP4? In
 * turn on one clip: one ffmpeg per rendition and for the sound, one ffmpeg for all, and `POST /encode`. `npm run
 * bench:package -- [seconds] [rounds] [speed]`, 20, 3 and fast by default.
 */
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DescribedOutput } from '../contract/http/output.ts';
import { VideoOptions } from '../contract/http/video.ts';
import { settlePackage } from '../test/support/settled-outputs.ts';
import { openSource } from '../engine/source/source.ts';
import { encoderArguments } from '../engine/pictures/encoder-arguments.ts';
import { openPictures } from '../engine/source/pictures/open-pictures.ts';
import { planPackage } from '../engine/products/package/plan-package.ts';
import { jobIn, limits } from '../test/engine/sound/segmented/support.ts';
import { TestContainer } from '../test/support/container.ts';
import { run } from '../test/support/process.ts';
import { type Cost, cost } from './cost.ts';
import { makeClip } from './detailed-clip.ts';
import { encodePackage } from './package-job.ts';
import { runPlainFfmpeg } from './plain-ffmpeg.ts';
import { ratios, report } from './report.ts';

const [secondsText = '20', roundsText = '3', speedText = 'fast'] = process.argv.slice(2);
const [seconds, rounds, speed] = [Number(secondsText), Number(roundsText), VideoOptions.shape.speed.parse(speedText)];
const job = jobIn(tmpdir());

const clip = await makeClip(seconds);
const container = await TestContainer.start({ JOB_TIMEOUT_SECONDS: '86400' });
await run('ln', [clip, join(container.mediaRoot, 'clip')]);

const output: DescribedOutput = {
  package: ['hls', 'dash'],
  video: { codec: 'h264', ...(speed !== undefined && { speed }) },
  renditions: [1080, 720, 480, 360].map((height) => ({ height })),
};

interface Rendition {
  size: string;
  encoder: string[];
}

/** Arguments that a person would type; the encoder's are those of the package. */
async function renditionsOf(): Promise<Rendition[]> {
  const settings = settlePackage(output);
  const source = await openPictures(await openSource(clip, limits, job.signal), [settings], limits, job);
  const { parts } = planPackage(settings, source, { image: undefined, subtitleOf: () => ({ cues: [] }) }, 'part');
  return parts.flatMap(({ plan: { video } }) => {
    if (video === undefined) return [];
    const { width, height } = video.shape.size;
    return [{ size: `${width}:${height}`, encoder: ['-pix_fmt', video.pixelFormat, ...encoderArguments(video)] }];
  });
}

const scaled = (size: string): string => `scale=${size}:flags=lanczos+accurate_rnd+full_chroma_int`;
const sound = ['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000'];

/** Each rendition has a folder: otherwise ffmpeg writes the init segments of several streams under one name. */
const hlsArguments = (name: string): string[] => [
  ...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_time', '6', '-hls_playlist_type', 'vod'],
  ...['-hls_fmp4_init_filename', 'init.mp4', join(container.mediaRoot, 'plain', name, 'main.m3u8')],
];

function commandForEach(renditions: readonly Rendition[]): string[][] {
  const pictures = renditions.map(({ size, encoder }, index) => [
    ...['-map', '0:v:0', '-vf', scaled(size), ...encoder, ...hlsArguments(`v${index}`)],
  ]);
  return [...pictures, ['-map', '0:a:0', ...sound, ...hlsArguments('a')]];
}

function commandForAll(renditions: readonly Rendition[]): string[][] {
  const branches = renditions.map((_, index) => `[s${index}]`).join('');
  const scales = renditions.map(({ size }, index) => `[s${index}]${scaled(size)}[v${index}]`);
  const filter = [`[0:v:0]split=${renditions.length}${branches}`, ...scales].join(';');
  const pictures = renditions.flatMap(({ encoder }, index) => [
    ...['-map', `[v${index}]`, ...encoder, ...hlsArguments(`v${index}`)],
  ]);
  return [['-filter_complex', filter, ...pictures, '-map', '0:a:0', ...sound, ...hlsArguments('a')]];
}

async function byPlainFfmpeg(commands: readonly (readonly string[])[], names: readonly string[]): Promise<Cost> {
  for (const name of names) await mkdir(join(container.mediaRoot, 'plain', name), { recursive: true });
  const spent = await runPlainFfmpeg(commands.map((args) => ['-i', clip, ...args]));
  await rm(join(container.mediaRoot, 'plain'), { recursive: true });
  return spent;
}

const encode = () => encodePackage(container, container.fileUrl('clip'), output);

try {
  const renditions = await renditionsOf();
  const names = [...renditions.map((_, index) => `v${index}`), 'a'];
  const rivals = {
    'one ffmpeg for each size': commandForEach(renditions),
    'one ffmpeg for all four sizes': commandForAll(renditions),
  };
  const ours: Cost[] = [];
  const theirs: Record<string, Cost[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    // The second one finds the clip in memory, so they take turns.
    const ffmpegFirst = round % 2 === 0;
    if (!ffmpegFirst) ours.push(await cost(encode, container.process.pid));
    for (const [rival, commands] of Object.entries(rivals)) {
      (theirs[rival] ??= []).push(await byPlainFfmpeg(commands, names));
    }
    if (ffmpegFirst) ours.push(await cost(encode, container.process.pid));
  }
  for (const [rival, costs] of Object.entries(theirs)) {
    report('package', `${seconds} s, beside ${rival}`, ratios(ours, costs));
  }
} finally {
  await container.stop();
}
