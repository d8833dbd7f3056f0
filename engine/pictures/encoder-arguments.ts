import { maxAllocBytes } from '../ffmpeg/guards.ts';
import { svtMastering, x265Mastering } from '../source/pictures/mastering.ts';
import { bufferSeconds } from './rate-buffer.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import { maxOutputPixels } from './plan-video.ts';
import type { VideoPlan } from '../plan/video-plan.ts';

/** Of time between two key frames where none is asked for. */
const mostKeyframeSeconds = 10;

/** Pictures between two key frames, and whether exactly so many. Of a variable rate: by the clock. */
function keyframeArguments({ timing, keyframeSeconds }: VideoPlan): {
  distance: number;
  isFixed: boolean;
  forced: string[];
} {
  const isFixed = keyframeSeconds !== undefined;
  if (timing.kind === 'constant') {
    const distance = Math.max(1, Math.round((keyframeSeconds ?? mostKeyframeSeconds) * valueOf(timing.fps)));
    return { distance, isFixed, forced: [] };
  }
  const forced = isFixed ? ['-force_key_frames', `expr:gte(t,n_forced*${keyframeSeconds})`] : [];
  // Few pictures may take long, so the clock alone decides where it is asked.
  return { distance: isFixed ? 9999 : 250, isFixed, forced };
}

function capArguments({ maxBitrate }: VideoPlan): string[] {
  return maxBitrate === undefined ? [] : ['-maxrate', `${maxBitrate}k`, '-bufsize', `${bufferSeconds * maxBitrate}k`];
}

/** One of two passes over the same pictures; the first one writes down what the second one shares the bits out by. */
export interface EncoderPass {
  number: 1 | 2;
  /** where the encoder writes and reads it, under this name or one that begins with it */
  statisticsPath: string;
}

/** A path among the options of an encoder that ffmpeg passes on. */
const escaped = (path: string): string => path.replaceAll(/[\\':=]/g, '\\$&');

function rateArguments({ crf, bitrate }: VideoPlan): string[] {
  return bitrate === undefined ? ['-crf', String(crf)] : ['-b:v', `${bitrate}k`];
}

function distanceArguments(plan: VideoPlan): string[] {
  const { distance, isFixed } = keyframeArguments(plan);
  return ['-g', String(distance), ...(isFixed ? ['-keyint_min', String(distance)] : [])];
}

/**
 * What lies between two key frames that are asked for is cut into segments, which last as long as their pictures are decoded. Of a variable
 * rate that is not as long as they are shown, but where each is decoded when it is shown.
 */
function orderArguments({ timing, keyframeSeconds }: VideoPlan): string[] {
  return timing.kind === 'variable' && keyframeSeconds !== undefined ? ['-bf', '0'] : [];
}

/** The presets of x264, and of x265, which has those of x264 under the same names. */
const x26Presets = { fast: 'veryfast', medium: 'medium', slow: 'slow' } as const;

function h264Profile(pixelFormat: string): string {
  if (pixelFormat.startsWith('yuv444p')) return 'high444';
  if (pixelFormat.startsWith('yuv422p')) return 'high422';
  return pixelFormat === 'yuv420p10le' ? 'high10' : 'high';
}

function h264Arguments(plan: VideoPlan, pass: EncoderPass | undefined): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', x26Presets[plan.speed], ...rateArguments(plan)],
    ...(pass === undefined
      ? []
      : ['-pass', String(pass.number), '-x264-params', `stats=${escaped(pass.statisticsPath)}`]),
    ...['-profile:v', h264Profile(plan.pixelFormat)],
    ...(plan.level === undefined ? [] : ['-level:v', plan.level]),
    ...capArguments(plan),
    ...distanceArguments(plan),
    ...orderArguments(plan),
    ...(keyframeArguments(plan).isFixed ? ['-sc_threshold', '0'] : []),
    ...['-threads', String(plan.threads)],
  ];
}

/** In the Main tier. */
const hevcLevel = ({ level }: VideoPlan): string => (level === undefined ? '' : `:level-idc=${level}:high-tier=0`);

/** x265 counts its frames in parallel by `threads`. Its pool would have the machine's cores, on which its memory depends. */
function hevcArguments(plan: VideoPlan, pass: EncoderPass | undefined): string[] {
  const { distance, isFixed } = keyframeArguments(plan);
  const keyframes = isFixed ? `:min-keyint=${distance}:scenecut=0` : '';
  const frameThreads = Math.min(3, plan.threads);
  const passes =
    pass === undefined ? '' : `:pass=${pass.number}:stats=${escaped(pass.statisticsPath)}:no-slow-firstpass=1`;
  return [
    ...['-c:v', 'libx265', '-preset', x26Presets[plan.speed], ...rateArguments(plan)],
    ...capArguments(plan),
    ...['-g', String(distance), ...orderArguments(plan), '-forced-idr', '1', '-threads', String(frameThreads)],
    // `info=0`: without the encoder's settings as text in the stream.
    ...[
      '-x265-params',
      `log-level=error:info=0:open-gop=0:pools=${plan.threads}${keyframes}${passes}${hevcLevel(plan)}${plan.mastering === undefined ? '' : x265Mastering(plan.mastering)}`,
    ],
  ];
}

const svtPresets = { fast: 10, medium: 8, slow: 6 } as const;

/** SVT-AV1 puts no key frame where a scene changes: all are `-g` apart. */
function av1Arguments(plan: VideoPlan): string[] {
  const { distance } = keyframeArguments(plan);
  return [
    ...['-c:v', 'libsvtav1', '-preset', String(svtPresets[plan.speed]), '-crf', String(plan.crf)],
    ...[
      '-g',
      String(distance),
      '-svtav1-params',
      `lp=${plan.threads}${plan.mastering === undefined ? '' : svtMastering(plan.mastering)}`,
    ],
  ];
}

const vpxSpeeds = { fast: 5, medium: 4, slow: 2 } as const;

/** The exponent to the number of tiles side by side, each of 256 pixels and more. */
function tileColumns({ shape }: VideoPlan): number {
  return Math.max(0, Math.min(2, Math.floor(Math.log2(shape.size.width / 256))));
}

/** With `row-mt` the pictures of two threads and more are the same, and those of one are others. */
function vp9Arguments(plan: VideoPlan, pass: EncoderPass | undefined): string[] {
  return [
    ...['-c:v', 'libvpx-vp9', '-deadline', 'good', '-cpu-used', String(vpxSpeeds[plan.speed])],
    ...rateArguments(plan),
    ...(plan.bitrate === undefined ? ['-b:v', '0'] : []),
    ...(pass === undefined ? [] : ['-pass', String(pass.number), '-passlogfile', pass.statisticsPath]),
    ...distanceArguments(plan),
    ...['-row-mt', '1', '-tile-columns', String(tileColumns(plan)), '-threads', String(Math.max(2, plan.threads))],
  ];
}

/** Slices that are decoded side by side, and of which each has a checksum. */
const ffv1Slices = 16;

/**
 * What libavcodec 59 asks for at once for a packet (`ffv1enc.c`), above what any other codec does: 307 MB of 1080p. ffmpeg has one limit
 * for the whole process, and the last that is given counts, so every output that needs a higher one says the same.
 */
const ffv1PacketBytes = (pixels: number): number => pixels * 37 * 4 + 64 * 1024;

/** Version 3, every picture by itself, as archives ask for it (RFC 9043; "FFV1 and Matroska" of the Library of Congress). */
function ffv1Arguments(plan: VideoPlan): string[] {
  const { width, height } = plan.shape.size;
  return [
    ...(ffv1PacketBytes(width * height) > maxAllocBytes
      ? ['-max_alloc', String(ffv1PacketBytes(maxOutputPixels))]
      : []),
    ...['-c:v', 'ffv1', '-level', '3', '-coder', '1', '-context', '1', '-g', '1'],
    ...['-slices', String(ffv1Slices), '-slicecrc', '1', '-threads', String(plan.threads)],
  ];
}

/** ProRes 422 HQ, or 4444 without an alpha channel, under the name of Apple's encoder, which some editors insist on. */
function proresArguments({ pixelFormat, threads }: VideoPlan): string[] {
  const profile = pixelFormat === 'yuv444p10le' ? '4' : '3';
  return ['-c:v', 'prores_ks', '-profile:v', profile, '-vendor', 'apl0', '-threads', String(threads)];
}

/** ffmpeg's arguments for the encoder of an output's pictures (pure). */
export function encoderArguments(plan: VideoPlan, pass?: EncoderPass): string[] {
  const { timing } = plan;
  const { forced } = keyframeArguments(plan);
  const clock = timing.kind === 'variable' ? ['-enc_time_base', `${timing.timeBase.num}:${timing.timeBase.den}`] : [];
  // The files of the second pass have headers of their own, and their bits are no picture's.
  const flags = pass?.number === 1 ? '+cgop+global_header' : '+cgop';
  return [...encoderOf(plan, pass), ...forced, '-flags:v', flags, ...clock];
}

function encoderOf(plan: VideoPlan, pass: EncoderPass | undefined): string[] {
  switch (plan.codec) {
    case 'h264':
      return h264Arguments(plan, pass);
    case 'hevc':
      return hevcArguments(plan, pass);
    case 'av1':
      return av1Arguments(plan);
    case 'vp9':
      return vp9Arguments(plan, pass);
    case 'prores':
      return proresArguments(plan);
    case 'ffv1':
      return ffv1Arguments(plan);
  }
}
