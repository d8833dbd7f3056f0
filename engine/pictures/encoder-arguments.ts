import { maxAllocBytes } from '../ffmpeg/guards.ts';
import { chooseSlices } from './ffv1-slices.ts';
import { svtMastering, x265Mastering } from '../source/pictures/mastering.ts';
import { bufferSeconds } from './rate-buffer.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import { maxOutputPixels } from './plan-video.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import { mostPictures, plannedFrames, plannedSeconds } from './video-timing.ts';

/** Longest time between key frames if none is requested. */
const mostKeyframeSeconds = 10;

/**
 * Number of pictures between key frames, and whether it is exact. At a variable rate, time decides. With a distance of
 * 1, x265 writes another profile (Rext), and SVT-AV1 1.4 writes only one key frame; both get 2 and forced key frames.
 */
function keyframeArguments({ codec, timing, keyframeSeconds }: VideoPlan): {
  distance: number;
  isFixed: boolean;
  forced: string[];
} {
  const isFixed = keyframeSeconds !== undefined;
  if (timing.kind === 'constant') {
    const distance = Math.max(1, Math.round((keyframeSeconds ?? mostKeyframeSeconds) * valueOf(timing.fps)));
    const isForced = distance === 1 && (codec === 'hevc' || codec === 'av1');
    return { distance, isFixed, forced: isForced ? ['-force_key_frames', 'expr:1'] : [] };
  }
  if (isFixed) {
    // A few pictures may last long, so only time decides if an interval is requested. Key frames are not counted: after a
    // pause, each interval in it would force one.
    const intervalOf = (time: string): string => `floor((${time}+5e-7)/${keyframeSeconds})`;
    const next = `expr:isnan(prev_forced_t)+gt(${intervalOf('t')},${intervalOf('prev_forced_t')})`;
    return { distance: 9999, isFixed, forced: ['-force_key_frames', next] };
  }
  // Counted from the previous one: after a long pause, a grid would force several in succession.
  const next = `expr:isnan(prev_forced_t)+gte(t,prev_forced_t+${mostKeyframeSeconds})`;
  return { distance: mostPictures(timing, mostKeyframeSeconds), isFixed, forced: ['-force_key_frames', next] };
}

/** Pictures from one key frame to the next, if no scene begins between them. */
export const keyframeDistance = (plan: VideoPlan): number => keyframeArguments(plan).distance;

const capped = (rate: number, buffer: number): string[] => ['-maxrate', `${rate}k`, '-bufsize', `${buffer}k`];

function capArguments({ maxBitrate }: VideoPlan): string[] {
  return maxBitrate === undefined ? [] : capped(maxBitrate, bufferSeconds * maxBitrate);
}

/** One of two passes over the same pictures. The first records statistics by which the second distributes bits. */
export interface EncoderPass {
  number: 1 | 2;
  /** Path at which the encoder writes and reads its statistics, possibly with a suffix. */
  statisticsPath: string;
}

/** Escapes a path in encoder options that ffmpeg passes on. */
const escaped = (path: string): string => path.replaceAll(/[\\':=]/g, '\\$&');

/** Average number of pictures per 1,000 seconds. */
function averageRate({ timing }: VideoPlan, most = Infinity): number {
  return Math.max(1, Math.round(Math.min(most, plannedFrames(timing) / plannedSeconds(timing)) * 1000));
}

/** Tells x264 and x265 how many pictures 1,000 seconds have. */
const statedRate = (pictures: number): string[] => [`fps=${pictures}/1000`];

/**
 * Pictures per second below which x264 and x265 exceed their buffer: they fit it to a single picture, or enlarge it to
 * hold one.
 */
const fewestPictures = 1;

/**
 * States the average of a variable rate. ffmpeg passes the source's declared rate, which may be that of the clock, such
 * as 1000 in Matroska. x264 controls its bits by time, so that a higher rate changes only its buffer.
 */
function h264Rate(plan: VideoPlan): string[] {
  const { timing } = plan;
  if (timing.kind === 'constant' && valueOf(timing.fps) >= fewestPictures) return [];
  return statedRate(Math.max(fewestPictures * 1000, averageRate(plan)));
}

/** Seconds over which pictures of a variable rate are counted for x265. */
const burstSeconds = 0.5;

/**
 * x265 refills its buffer with each picture instead of with time, at the rate that it is given. At a variable rate, every
 * picture gets the bits of the densest ones. Within `burstSeconds`, pictures may be closer still. That part of the buffer
 * is kept for them. At a constant rate below `fewestPictures`, each picture gets the bits of a second.
 */
function hevcCap(plan: VideoPlan): { cap: string[]; rate: string[] } {
  const { maxBitrate, timing } = plan;
  const isConstant = timing.kind === 'constant';
  const average = averageRate(plan);
  if (maxBitrate === undefined || (isConstant && valueOf(timing.fps) >= fewestPictures)) {
    return { cap: capArguments(plan), rate: isConstant ? [] : statedRate(average) };
  }
  const densest = isConstant ? fewestPictures : mostPictures(timing, burstSeconds) / burstSeconds;
  const share = Math.min(1, average / 1000 / densest);
  // x265 accepts whole kbit/s. If the lowest is too much, a higher rate of pictures lessens the bits of each.
  const bitrate = Math.max(1, Math.floor(maxBitrate * share));
  const pictures = Math.max(average, Math.ceil((1000 * bitrate * densest) / maxBitrate));
  const buffer = (bufferSeconds - (isConstant ? 0 : burstSeconds)) * maxBitrate;
  return { cap: capped(bitrate, buffer), rate: statedRate(pictures) };
}

function rateArguments({ crf, bitrate }: VideoPlan): string[] {
  return bitrate === undefined ? ['-crf', String(crf)] : ['-b:v', `${bitrate}k`];
}

/**
 * Rates of the scenes as x264 and x265 take them: factors of the bits that `crf` would give. Six steps of the rate factor
 * double the step of the quantiser. `first`: number of the first picture. x264 counts from 0, and x265 from 1.
 */
function sceneZones({ crf = 0, scenes }: VideoPlan, first: 0 | 1): string[] {
  if (scenes === undefined) return [];
  const zones = scenes.map(({ from, to, crf: own }) => {
    return `${first + from},${first + to - 1},b=${(2 ** ((crf - own) / 6)).toFixed(3)}`;
  });
  return [`zones=${zones.join('/')}`];
}

function distanceArguments(plan: VideoPlan): string[] {
  const { distance, isFixed } = keyframeArguments(plan);
  return ['-g', String(distance), ...(isFixed ? ['-keyint_min', String(distance)] : [])];
}

/** Presets of x264; x265 uses the same names. */
const x26Presets = { fast: 'veryfast', medium: 'medium', slow: 'slow' } as const;

function h264Profile(pixelFormat: string): string {
  if (pixelFormat.startsWith('yuv444p')) return 'high444';
  if (pixelFormat.startsWith('yuv422p')) return 'high422';
  return pixelFormat === 'yuv420p10le' ? 'high10' : 'high';
}

function h264Arguments(plan: VideoPlan, pass: EncoderPass | undefined): string[] {
  const statistics = pass === undefined ? [] : [`stats=${escaped(pass.statisticsPath)}`];
  const parameters = [...h264Rate(plan), ...statistics, ...sceneZones(plan, 0)];
  return [
    ...['-c:v', 'libx264', '-preset', x26Presets[plan.speed], ...rateArguments(plan)],
    ...(pass === undefined ? [] : ['-pass', String(pass.number)]),
    ...(parameters.length === 0 ? [] : ['-x264-params', parameters.join(':')]),
    ...['-profile:v', h264Profile(plan.pixelFormat)],
    ...(plan.level === undefined ? [] : ['-level:v', plan.level]),
    ...capArguments(plan),
    ...distanceArguments(plan),
    ...(keyframeArguments(plan).isFixed ? ['-sc_threshold', '0'] : []),
    ...['-threads', String(plan.threads)],
  ];
}

/** Uses the Main tier. */
const hevcLevel = ({ level }: VideoPlan): string => (level === undefined ? '' : `:level-idc=${level}:high-tier=0`);

/**
 * x265 3.5 does not repeat itself if it encodes three pictures at a time. On a busy machine its lookahead may miss a
 * picture; from then on, a picture may be given its quantiser before the picture that it refers to (x265 issue 684). With
 * two at a time, x265 keeps the order. Its pool would use all cores of the machine, and its memory depends on them.
 */
function hevcArguments(plan: VideoPlan, pass: EncoderPass | undefined): string[] {
  const { distance, isFixed } = keyframeArguments(plan);
  const keyframes = isFixed ? `:min-keyint=${distance}:scenecut=0` : '';
  const frameThreads = Math.min(2, plan.threads);
  const { cap, rate } = hevcCap(plan);
  const further = [...rate, ...sceneZones(plan, 1)].map((parameter) => `:${parameter}`).join('');
  const passes =
    pass === undefined ? '' : `:pass=${pass.number}:stats=${escaped(pass.statisticsPath)}:no-slow-firstpass=1`;
  return [
    ...['-c:v', 'libx265', '-preset', x26Presets[plan.speed], ...rateArguments(plan)],
    ...cap,
    ...['-g', String(Math.max(2, distance))],
    ...['-forced-idr', '1', '-threads', String(frameThreads)],
    // `info=0` omits the encoder's settings from the stream.
    ...[
      '-x265-params',
      `log-level=error:info=0:open-gop=0:pools=${plan.threads}${keyframes}${passes}${further}${hevcLevel(plan)}${plan.mastering === undefined ? '' : x265Mastering(plan.mastering)}`,
    ],
  ];
}

const svtPresets = { fast: 10, medium: 8, slow: 6 } as const;

/** Rate of the pictures; SVT-AV1 accepts at most 240 per second. */
function svtRate(plan: VideoPlan): string {
  const { timing } = plan;
  if (timing.kind === 'constant' && valueOf(timing.fps) <= 240) return '';
  return `:fps-num=${averageRate(plan, 240)}:fps-denom=1000`;
}

/** SVT-AV1 places no key frames at scene changes: all are `-g` apart. */
function av1Arguments(plan: VideoPlan): string[] {
  const { distance, forced } = keyframeArguments(plan);
  const keys = forced.length === 0 ? '' : ':enable-force-key-frames=1';
  return [
    ...['-c:v', 'libsvtav1', '-preset', String(svtPresets[plan.speed]), '-crf', String(plan.crf)],
    ...[
      '-g',
      String(Math.max(2, distance)),
      '-svtav1-params',
      `lp=${plan.threads}${svtRate(plan)}${keys}${plan.mastering === undefined ? '' : svtMastering(plan.mastering)}`,
    ],
  ];
}

const vpxSpeeds = { fast: 5, medium: 4, slow: 2 } as const;

/** Base-2 logarithm of the number of tiles side by side, each at least 256 pixels wide. */
function tileColumns({ shape }: VideoPlan): number {
  return Math.max(0, Math.min(2, Math.floor(Math.log2(shape.size.width / 256))));
}

/** With `row-mt`, the pictures are equal for any number of threads above one, but differ from those of one thread. */
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

/**
 * Bytes that libavcodec 59 allocates at once for a packet (`ffv1enc.c`), more than any other codec: 307 MB at 1080p.
 * ffmpeg has one allocation limit per process, and the last option counts, so every output that needs a higher one sets
 * the same.
 */
const ffv1PacketBytes = (pixels: number): number => pixels * 37 * 4 + 64 * 1024;

/** Version 3 with key frames only, as archives require (RFC 9043; "FFV1 and Matroska" of the Library of Congress). */
function ffv1Arguments(plan: VideoPlan): string[] {
  const { width, height } = plan.shape.size;
  return [
    ...(ffv1PacketBytes(width * height) > maxAllocBytes
      ? ['-max_alloc', String(ffv1PacketBytes(maxOutputPixels))]
      : []),
    ...['-c:v', 'ffv1', '-level', '3', '-coder', '1', '-context', '1', '-g', '1'],
    ...[
      '-slices',
      String(chooseSlices(plan.shape.size, plan.pixelFormat)),
      '-slicecrc',
      '1',
      '-threads',
      String(plan.threads),
    ],
  ];
}

/** ProRes 422 HQ, or 4444 without alpha, under the name of Apple's encoder, which some editors require. */
function proresArguments({ pixelFormat, threads }: VideoPlan): string[] {
  const profile = pixelFormat === 'yuv444p10le' ? '4' : '3';
  return ['-c:v', 'prores_ks', '-profile:v', profile, '-vendor', 'apl0', '-threads', String(threads)];
}

/** Forces key frames at these pictures of a constant rate. Rounded times may not be later than those of the pictures. */
function forcedKeys({ timing }: VideoPlan, keys: readonly number[]): string[] {
  if (keys.length === 0 || timing.kind !== 'constant') return [];
  const fps = valueOf(timing.fps);
  return ['-force_key_frames', keys.map((key) => ((key - 0.25) / fps).toFixed(6)).join(',')];
}

/** `keys`: pictures that must be key frames. */
export function encoderArguments(plan: VideoPlan, pass?: EncoderPass, keys: readonly number[] = []): string[] {
  const { timing } = plan;
  const ofEach = keyframeArguments(plan).forced;
  const forced = ofEach.length > 0 ? ofEach : forcedKeys(plan, keys);
  const clock = timing.kind === 'variable' ? ['-enc_time_base', `${timing.timeBase.num}:${timing.timeBase.den}`] : [];
  // Files of the first pass have their own headers, and none of their bits reach a picture.
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
