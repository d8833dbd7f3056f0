import { definedFields } from '../../contract/defined-fields.ts';
import type { ContainerName } from '../../contract/formats.ts';
import type { EncodedVideoStream } from '../../contract/http/video.ts';
import { videoCodecFacts } from '../../contract/video-codecs.ts';
import { listPackets, type Packet } from '../ffmpeg/packet-list.ts';
import { isChangedTag, isHighDynamicRange } from '../ffmpeg/colour-tags.ts';
import type { ProbedStream } from '../ffmpeg/probed.ts';
import { readFirstPicture } from '../source/pictures/first-picture.ts';
import { listIndexedPackets } from '../source/pictures/indexed-packets.ts';
import { type Mastering, saysTheSame } from '../source/pictures/mastering.ts';
import { isWithinLevel, levelOf } from '../ffmpeg/stream-level.ts';
import { profileOf } from './profiles.ts';
import { lowestFullness } from './rate-buffer.ts';
import { parseRational, type Rational, valueOf } from '../ffmpeg/rational.ts';
import type { VideoPlan, VideoTiming } from '../plan/video-plan.ts';
import { secondsOfTag } from '../source/declared-length.ts';
import { lastPictureSeconds, plannedFrames, plannedSeconds } from './video-timing.ts';

/** Pictures of a finished file, as it states and as its packets show. */
export interface MeasuredPictures {
  stream: ProbedStream;
  packets: readonly Packet[];
  timeBase: Rational;
  /** Seconds of the whole stream. */
  seconds: number;
  /** HDR10 metadata, read if it was planned. */
  mastering?: Mastering | undefined;
  facts: EncodedVideoStream;
}

export async function measurePictures(
  path: string,
  stream: ProbedStream,
  plan: VideoPlan,
  signal: AbortSignal,
): Promise<MeasuredPictures> {
  const timeBase = parseRational(stream.time_base) ?? { num: 1, den: 1000 };
  const listed = (await listCounted(path, stream, timeBase, plan)) ?? (await listPackets(path, stream.index, signal));
  const packets = listed.filter(({ isHidden }) => !isHidden);
  // ffprobe states no durations at 1000 pictures per second or more.
  const lastDuration = lastPictureSeconds(plan.timing) / valueOf(timeBase);
  const ends = packets.map(({ pts = 0, duration = lastDuration }) => pts + duration);
  // The duration of the last packet is nominal in Matroska, and in MP4 it is that of its decoding.
  const statedEnd = plan.timing.kind === 'variable' ? endOf(stream) : undefined;
  const seconds = statedEnd ?? ends.reduce((latest, end) => Math.max(latest, end), 0) * valueOf(timeBase);
  const bytes = packets.reduce((sum, { size }) => sum + size, 0);
  const perSecond = (count: number): number => (seconds === 0 ? 0 : count / seconds);
  return {
    ...{ stream, packets, timeBase, seconds },
    mastering: plan.mastering && (await readFirstPicture(path, stream.index, signal)).mastering,
    facts: {
      kind: 'video',
      codec: stream.codec_name,
      ...definedFields({ profile: stream.profile, level: levelOf(stream.codec_name, stream.level) }),
      bitrate: Math.round(perSecond((bytes * 8) / 1000)),
      width: stream.width ?? 0,
      height: stream.height ?? 0,
      fps: Math.round(perSecond(packets.length) * 1000) / 1000,
      frames: packets.length,
      ...(plan.sourceScan !== undefined && { sourceScan: plan.sourceScan }),
    },
  };
}

/**
 * Packets in the index of a file that ffprobe has read to its end, where it counted as many. If the rate varies, only
 * ffprobe states for how long the last picture is shown.
 */
async function listCounted(
  path: string,
  { index, codec_name: codec, nb_read_packets: counted }: ProbedStream,
  timeBase: Rational,
  { timing }: VideoPlan,
): Promise<Packet[] | undefined> {
  if (timing.kind === 'variable') return undefined;
  const indexed = await listIndexedPackets({ path, index, codec, timeBase });
  return indexed?.length === counted ? indexed : undefined;
}

/**
 * Describes how the pictures differ from the plan, as the rest of a sentence; undefined if they match. `encodedFrames`
 * entered the encoder.
 */
export function findPictureProblem(
  plan: VideoPlan,
  measured: MeasuredPictures,
  encodedFrames: number,
  container: ContainerName,
): string | undefined {
  return (
    streamProblem(plan, measured.stream) ??
    countProblem(plan, measured.packets.length, encodedFrames) ??
    timeProblem(plan, measured, container) ??
    endProblem(plan, measured) ??
    orderProblem(measured.packets) ??
    findKeyProblem(plan, measured) ??
    rateProblem(plan, measured) ??
    masteringProblem(plan, measured)
  );
}

function streamProblem(plan: VideoPlan, stream: ProbedStream): string | undefined {
  const { shape, codec, pixelFormat, colour } = plan;
  const { width, height } = shape.size;
  const { probedName, readPixelFormats } = videoCodecFacts(codec);
  if (stream.codec_name !== probedName) return `its codec is ${stream.codec_name}`;
  if (stream.width !== width || stream.height !== height) {
    return `its pictures have ${stream.width}x${stream.height} pixels where ${width}x${height} were planned`;
  }
  const aspect = valueOf(parseRational(stream.sample_aspect_ratio) ?? { num: 1, den: 1 });
  // Matroska stores the displayed width in whole pixels.
  if (Math.abs(aspect - valueOf(plan.pixelAspect)) * width > 0.51) {
    return `its pixels are ${stream.sample_aspect_ratio} wide`;
  }
  if (stream.side_data_list.some(({ rotation = 0 }) => rotation !== 0)) return 'players would turn its pictures';
  const readFormat = readPixelFormats?.[pixelFormat] ?? pixelFormat;
  if (stream.pix_fmt !== readFormat) return `its pixel format is ${stream.pix_fmt} and not ${readFormat}`;
  // Copied pictures keep the source's profile.
  const profile = plan.isCopied === true ? undefined : profileOf(codec, pixelFormat);
  // Some profiles are marked as intra-only.
  if (profile !== undefined && stream.profile?.replace(/ Intra$/, '') !== profile)
    return `its profile is ${stream.profile} and not ${profile}`;
  const level = levelOf(stream.codec_name, stream.level);
  if (plan.level !== undefined && !isWithinLevel(level, plan.level))
    return `its level is ${level} and not ${plan.level}`;
  const isFullRange = stream.color_range === 'pc';
  // RGB formats do not state their range.
  if (isFullRange !== plan.isFullRange && !/^(?:gbr|bgr|rgb)/.test(pixelFormat)) {
    return `the range of its colours is ${isFullRange ? 'full' : 'limited'}`;
  }
  if (hasOwnColours(plan, stream)) return undefined;
  const tags = [
    [colour.space, stream.color_space],
    [colour.primaries, stream.color_primaries],
    [colour.transfer, stream.color_transfer],
  ];
  const changed = tags.find(([planned, found]) => isChangedTag(codec, planned, found));
  return changed && `its colours are tagged ${changed[1] ?? 'unknown'} and not ${changed[0]}`;
}

/**
 * True if the pictures may have other tags than the start of the film, from which the plan takes them: a recording
 * changes its tags where another programme begins. High dynamic range needs a plan of its own.
 */
function hasOwnColours(
  { cut, toneMap, isFromRgb, colour }: VideoPlan,
  { color_transfer: transfer }: ProbedStream,
): boolean {
  const isPassedOn = cut.from > 0 && toneMap === undefined && !isFromRgb;
  return isPassedOn && (transfer === colour.transfer || !isHighDynamicRange({ colour: { ...colour, transfer } }));
}

function countProblem({ timing }: VideoPlan, found: number, encodedFrames: number): string | undefined {
  const planned = plannedFrames(timing);
  if (found !== encodedFrames) return `it has ${found} pictures where ${encodedFrames} were encoded`;
  // A source of variable rate may have undecodable pictures, and a missing one is not noticed.
  const isPlanned = timing.kind === 'constant' ? found === planned : found > 0 && found <= planned;
  return isPlanned ? undefined : `it has ${found} pictures where ${planned} were planned`;
}

/** Matroska counts milliseconds and rounds to the nearest. */
const matroskaToleranceSeconds = 0.0005 + 1e-9;

function timeProblem(
  { timing, isCopied }: VideoPlan,
  { packets, timeBase }: MeasuredPictures,
  container: ContainerName,
): string | undefined {
  const isRounded = container === 'mkv' || container === 'webm';
  const tolerance = isRounded ? matroskaToleranceSeconds : 1e-9;
  const stamps = packets.map(({ pts }) => pts ?? NaN).toSorted((one, other) => one - other);
  const seconds = stamps.map((stamp) => stamp * valueOf(timeBase));
  if (isCopied !== true && seconds[0] !== 0) return `its first picture is at ${seconds[0]?.toFixed(6)} s and not at 0`;
  if (timing.kind === 'constant') {
    const wrong = seconds.findIndex((time, index) => Math.abs(time - index / valueOf(timing.fps)) > tolerance);
    return wrong === -1 ? undefined : `picture ${wrong} is at ${seconds[wrong]?.toFixed(6)} s`;
  }
  const tick = valueOf(timing.timeBase);
  let place = 0;
  for (const [index, time] of seconds.entries()) {
    const isFirst = (): boolean => place === 0 && isCopied !== true;
    const plannedAt = (): number => (isFirst() ? 0 : ((timing.stamps[place] ?? NaN) - timing.startTicks) * tick);
    while (place < timing.stamps.length && plannedAt() < time - tolerance) place += 1;
    const isPlanned = Math.abs(plannedAt() - time) <= tolerance;
    if (!isPlanned && !isInvented(time, timing, tolerance)) return `picture ${index} is at ${time.toFixed(6)} s`;
    if (isPlanned) place += 1;
  }
  return undefined;
}

/** Part of the distance of two pictures by which rounded times may be off their grid. */
const mostRoundingPlaces = 0.25;

/** True if a decoder may have shown a picture at this time in place of one that the source lost. */
function isInvented(seconds: number, timing: VideoTiming & { kind: 'variable' }, tolerance: number): boolean {
  const { gridTicks, stamps, startTicks } = timing;
  if (gridTicks === undefined) return false;
  const tick = valueOf(timing.timeBase);
  const place = (seconds / tick + startTicks - (stamps[0] ?? 0)) / gridTicks;
  // In AVI a tick is a whole picture: a tolerance of one tick would accept every time.
  const roundingPlaces = Math.min((tolerance + tick) / (gridTicks * tick), mostRoundingPlaces);
  return Math.abs(place - Math.round(place)) <= roundingPlaces;
}

/** Seconds at which the stream ends, as the file states it. */
const endOf = ({ tags, duration }: ProbedStream): number | undefined => secondsOfTag(tags['DURATION']) ?? duration;

/** MP4 states in milliseconds for how long its pictures are shown, and Matroska when they end. */
const endToleranceSeconds = 0.001 + 1e-9;

/** The number of pictures gives the end of a constant rate. The end is unknown if the decoder did not return all of them. */
function endProblem({ timing, isCopied }: VideoPlan, { stream, packets }: MeasuredPictures): string | undefined {
  if (timing.kind === 'constant' || isCopied === true || packets.length < timing.stamps.length) return undefined;
  const stated = endOf(stream);
  const end = plannedSeconds(timing);
  if (stated === undefined || Math.abs(stated - end) <= endToleranceSeconds) return undefined;
  return `its last picture ends at ${stated.toFixed(3)} s and not at ${end.toFixed(3)}`;
}

function orderProblem(packets: readonly Packet[]): string | undefined {
  const wrong = packets.findIndex(({ dts }, index) => {
    const before = packets[index - 1]?.dts;
    return index > 0 && dts !== undefined && before !== undefined && dts <= before;
  });
  return wrong === -1 ? undefined : `the decoding time of packet ${wrong} is not after that of the previous packet`;
}

/** Share of the buffer by which encoders may err, because they estimate a picture's size before encoding it. */
const rateTolerance = 0.05;

function rateProblem({ maxBitrate }: VideoPlan, { packets, timeBase }: MeasuredPictures): string | undefined {
  if (maxBitrate === undefined) return undefined;
  const sizes = packets.map(({ size }) => size);
  // Matroska has no decoding times: pictures are removed one after the other at the distance of their display times.
  const times = packets.map(({ pts = 0 }) => pts * valueOf(timeBase)).toSorted((one, other) => one - other);
  if (lowestFullness(sizes, times, maxBitrate) >= -rateTolerance) return undefined;
  return `its pictures need more than the maxBitrate of ${maxBitrate} kbit/s; use a higher maxBitrate, or smaller pictures`;
}

function masteringProblem({ mastering }: VideoPlan, { mastering: found }: MeasuredPictures): string | undefined {
  if (mastering === undefined || saysTheSame(mastering, found)) return undefined;
  return 'its metadata about mastering display and brightness differ from those of the source';
}

/** Describes how the key frames differ from the plan, likewise. */
export function findKeyProblem(
  { timing, keyframeSeconds, codec, isCopied }: VideoPlan,
  { packets, timeBase }: MeasuredPictures,
): string | undefined {
  if (packets[0]?.isKey !== true) return 'it does not begin with a key frame';
  if (videoCodecFacts(codec).isIntraOnly && isCopied !== true) {
    return packets.every(({ isKey }) => isKey) ? undefined : 'not every picture is a key frame';
  }
  if (keyframeSeconds === undefined || timing.kind === 'variable') return undefined;
  const distance = Math.max(1, Math.round(keyframeSeconds * valueOf(timing.fps)));
  const numberOf = ({ pts = 0 }: Packet): number => Math.round(pts * valueOf(timeBase) * valueOf(timing.fps));
  const keys = packets.filter(({ isKey }) => isKey).map(numberOf);
  const wanted = Array.from({ length: Math.ceil(timing.frames / distance) }, (_, index) => index * distance);
  return keys.join() === wanted.join() ? undefined : `its key frames are not ${distance} pictures apart`;
}
