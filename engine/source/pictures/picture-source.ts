import { MediaError } from '../../media-error.ts';
import { brightnessOf } from '../../ffmpeg/brightness.ts';
import type { Packet } from '../../ffmpeg/packet-list.ts';
import { firstPackets, readSoundStarts } from '../../ffmpeg/sound-starts.ts';
import type { Probed } from '../../ffmpeg/probed.ts';
import type { Ending } from '../../formats/ending.ts';
import { runBoth } from '../../pool.ts';
import { declaredLength } from '../declared-length.ts';
import { averageBitrate, bitrateOf } from '../stream-bits.ts';
import { hasAlphaBeside } from './alpha-beside.ts';
import { findClockJump } from './clock-jump.ts';
import { noDisplayTimes, releaseTicks, withoutDisplayTimes } from './decoding-order.ts';
import { type ColourTags, colourTagsOf, isHighDynamicRange } from '../../ffmpeg/colour-tags.ts';
import { levelOf } from '../../ffmpeg/stream-level.ts';
import { findFilmStart } from './film-start.ts';
import { findConstantRate, findEstimatedRate, findGridRate, liesOnGrid, maxFps, nominalRate } from './frame-rate.ts';
import type { Size } from '../../ffmpeg/size.ts';
import { type Turn, turnOf } from '../../ffmpeg/turn.ts';
import { readFirstPicture } from './first-picture.ts';
import { declaredEnd, lastDuration } from './last-duration.ts';
import type { Mastering } from './mastering.ts';
import { followOn, pairFields } from './pair-fields.ts';
import { parseRational, type Rational, valueOf } from '../../ffmpeg/rational.ts';
import type { FieldOrder, Scan } from './scan/judge-scan.ts';

/** Picture stream of a downloaded file, from its headers. */
export interface PictureStream {
  path: string;
  /** Place among all streams of the file. */
  index: number;
  /** ffprobe's name. */
  codec: string;
  /** Pixels after rotation, before the aspect ratio. */
  coded: Size;
  /** Width of a pixel divided by its height, after rotation. */
  pixelAspect: Rational;
  /** Present if players turn the pictures by a quarter. */
  isTurned?: true;
  /** Degrees clockwise by which players, and ffmpeg, turn the pictures; 0 also for other angles. */
  turn: Turn;
  /** True if players neither turn nor mirror the pictures. */
  isUpright: boolean;
  /** Declared by the stream. */
  isInterlaced: boolean;
  /** Present for H.264 in MP4 whose first sample may be a field. */
  mayStoreFields?: true;
  /** Present if the start of such a film has a sample for each field. */
  storesFields?: true;
  /** Present if the times of the packets are those of decoding, although the decoder reorders the pictures. */
  isInDecodingOrder?: true;
  /** Pictures that the decoder holds back for reordering. */
  heldBack: number;
  /** Such as `4.1`; undefined if the codec has no levels or the stream states none. */
  level?: string;
  /** ffmpeg's name. */
  pixelFormat: string;
  colour: ColourTags;
  /** Place of the chroma beside the luma, by ffmpeg's name. */
  chromaPlace?: string;
  isFullRange: boolean;
  isRgb: boolean;
  /**
   * Present for transparency that is stored beside the pictures and not decoded, as of VP9. If no output would lose it,
   * only the tag of the file decides.
   */
  hasAlphaBeside?: true | undefined;
  /** Dolby Vision whose colours only its own decoders show correctly. */
  isForDolbyAlone: boolean;
  /** Peak brightness in cd/m², if the file states it. */
  brightness: number | undefined;
  timeBase: Rational;
  /** Frames per second in the ways that the file declares them. */
  claimedRates: readonly Rational[];
  /** Declared seconds from the first picture to the end; undefined if there are none that are reliable. */
  declaredSeconds: number | undefined;
  /** Seconds on the file's clock at which the pictures end; undefined if the file does not declare it reliably. */
  declaredEndSeconds?: number | undefined;
  ending: Ending['kind'];
  /** ffprobe's name. */
  formatName: string;
  /** kbit/s; 0 if the file states none. `timePictures` then measures it. */
  bitrate: number;
  /** Audio streams with the time of their first packet on the file's clock, in seconds; undefined without packets. */
  sounds: readonly { index: number; startSeconds: number | undefined }[];
}

/** Adds the time of every picture, from its packets. */
export interface PictureSource extends PictureStream {
  /** Ticks of the first picture that can be decoded. */
  startTicks: number;
  /** Ticks of the last picture's end. */
  endTicks: number;
  /**
   * Ticks of every picture in display order. Undefined if the file states no times, or if ffmpeg estimates some or the
   * file repeats one, at a constant rate.
   */
  stamps: readonly number[] | undefined;
  /** True if some pictures repeat the time of the previous one and are not shown. */
  hasRepeated: boolean;
  /** False if the file numbers its packets but does not state when pictures are shown. */
  isStamped: boolean;
  frames: number;
  /** Ticks of the key frames, rising. */
  keyTicks: readonly number[];
  /** Undefined if the rate varies. */
  constantRate: Rational | undefined;
  /** True if pictures precede the first key frame; they cannot be decoded. */
  startsLate: boolean;
  /** Present for HDR10. */
  mastering?: Mastering;
  /** Time in seconds on the file's clock at which each track is first heard. */
  soundStarts: readonly number[];
  /** Start of all outputs in seconds on the file's clock. */
  filmStart: number;
  /** True if players decode some pictures without showing them: an edit list starts after them. */
  hasHidden: boolean;
  /** Packets before the first one with a decoding time, stated by the file or by ffmpeg. */
  undatedPackets: number;
  /** Undefined if the scan was not measured or the pictures do not reveal it. */
  scan?: Scan | undefined;
  /** Present if the first picture states that it is interlaced. */
  statedOrder?: FieldOrder;
  /** The file has only the packets that a part of the film needs; the others are zeros. */
  isPartial?: true;
}

/** Describes the picture stream that the file marks as the players' choice, or else the first. Covers do not count. */
export function describePictures(path: string, probed: Probed, ending: Ending): PictureStream | undefined {
  const films = probed.streams.filter(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition.attached_pic === 0,
  );
  const stream = films.find(({ disposition }) => disposition.default === 1) ?? films[0];
  if (stream === undefined) return undefined;
  const { width = 0, height = 0 } = stream;
  const aspect = parseRational(stream.sample_aspect_ratio) ?? { num: 1, den: 1 };
  const shown = stream.side_data_list.find((data) => data.rotation !== undefined);
  const turn = turnOf(shown?.rotation ?? 0, shown?.displaymatrix);
  const isTurned = turn === 90 || turn === 270;
  const rates = [stream.avg_frame_rate, stream.r_frame_rate].map(parseRational);
  const level = levelOf(stream.codec_name, stream.level);
  const chromaPlace = stream.chroma_location;
  const declared = {
    ...{ declaredSeconds: declaredLength(probed, stream, ending), ending: ending.kind },
    formatName: probed.format.format_name,
  };
  return {
    ...(level !== undefined && { level }),
    ...(chromaPlace !== undefined && { chromaPlace }),
    ...(stream.codec_name === 'h264' &&
      probed.format.format_name.startsWith('mov') &&
      stream.field_order === undefined && { mayStoreFields: true }),
    ...{ path, index: stream.index, codec: stream.codec_name, turn, isUpright: shown === undefined },
    ...(isTurned && { isTurned }),
    coded: isTurned ? { width: height, height: width } : { width, height },
    pixelAspect: isTurned ? { num: aspect.den, den: aspect.num } : aspect,
    heldBack: stream.has_b_frames ?? 0,
    isInterlaced: /^(?:tt|bb|tb|bt)$/.test(stream.field_order ?? ''),
    pixelFormat: stream.pix_fmt ?? 'unknown',
    colour: colourTagsOf(stream),
    isFullRange: stream.color_range === 'pc' || stream.pix_fmt?.startsWith('yuvj') === true,
    isRgb: /^(?:gbr|rgb|bgr|argb|abgr|0rgb|0bgr|pal8)/.test(stream.pix_fmt ?? ''),
    ...(hasAlphaBeside(stream) && { hasAlphaBeside: true }),
    isForDolbyAlone: stream.side_data_list.some(({ dv_bl_signal_compatibility_id: id }) => id === 0),
    brightness: brightnessOf(stream.side_data_list),
    timeBase: parseRational(stream.time_base) ?? { num: 1, den: 90_000 },
    claimedRates: rates.filter((rate) => rate !== undefined && valueOf(rate) <= maxFps) as Rational[],
    ...declared,
    declaredEndSeconds: declaredEnd(stream, declared),
    bitrate: bitrateOf(stream, probed),
    sounds: firstPackets(probed),
  };
}

/** Codecs whose pictures can state how players turn them (SEI message 47), where the file does not. */
const turnableCodecs: ReadonlySet<string> = new Set(['h264', 'hevc']);

/** Pictures whose times are known from their packets. */
export type TimedPictures = Omit<PictureSource, 'soundStarts' | 'filmStart'>;

/** Adds what only decoding shows: when the sound is heard, and what the first picture states. */
export async function readPictures(timed: TimedPictures, signal: AbortSignal): Promise<PictureSource> {
  const { path, index, sounds } = timed;
  const streams = sounds.flatMap((sound) => (sound.startSeconds === undefined ? [] : sound.index));
  const isHdr = isHighDynamicRange(timed);
  const mayTurn = timed.isUpright && turnableCodecs.has(timed.codec);
  const [heard, first] = await runBoth(
    async (either) => (streams.length === 0 ? undefined : await readSoundStarts(path, streams, either)),
    (either) => readFirstPicture(path, index, either),
    signal,
  );
  // Often only key frames state it. ffmpeg would turn these alone, and restart its filters at each of them.
  if (mayTurn && first.isTurned === true) {
    throw new MediaError(
      'unsupported_format',
      'The pictures of the source, and not its file, state that players turn or mirror them. Such pictures are not supported. For H.264, remove the statement first: ffmpeg -i <source> -c copy -bsf:v h264_metadata=display_orientation=remove <copy>.',
    );
  }
  const pictureStart = timed.startTicks * valueOf(timed.timeBase);
  const soundStarts = sounds.map((sound) => heard?.get(sound.index) ?? sound.startSeconds ?? pictureStart);
  return {
    ...timed,
    ...(first.statedOrder !== undefined && { statedOrder: first.statedOrder }),
    ...(first.isHlg === true && { colour: { ...timed.colour, transfer: 'arib-std-b67' } }),
    brightness: timed.brightness ?? (isHdr ? first.brightness : undefined),
    // Only PQ pictures state this about themselves.
    ...(timed.colour.transfer === 'smpte2084' && first.mastering && { mastering: first.mastering }),
    ...{ soundStarts, filmStart: findFilmStart({ ...timed, soundStarts }) },
  };
}

/** Determines when the pictures of these packets are shown. */
export function timePictures(stream: PictureStream, listed: readonly Packet[]): TimedPictures {
  const packets = withoutDisplayTimes(stream, followOn(pairFields(stream, listed)));
  const key = packets.find(({ isKey }) => isKey);
  if (key === undefined) {
    throw new MediaError('undecodable_source', 'The source has no picture that could be decoded without another.');
  }
  // Matroska has no negative timestamps; they are read as missing.
  if (packets.some(({ pts, dts }) => (pts ?? dts) === undefined)) {
    throw new MediaError('undecodable_source', 'Not every picture of the source has a time stamp.');
  }
  const jump = findClockJump(packets, stream.timeBase, stream.formatName);
  if (jump !== undefined) {
    // ffmpeg decodes from the key frame before each part, and places later parts up to two pictures off their sound.
    const isEdited = packets.some(({ isHidden }) => isHidden);
    throw new MediaError(
      'unsupported_format',
      isEdited
        ? 'The edit list of the source shows several parts of its pictures. Such pictures are not supported; export the film without edits.'
        : `The source is several concatenated recordings: its clock jumps after ${jump.toFixed(1)} s. Their pictures cannot be joined. Encode each recording alone.`,
    );
  }
  const isWhollyStamped = packets.every(({ pts }) => pts !== undefined);
  // A program stream does not stamp every one of several adjacent pictures. These start as long after their decoding as
  // the first one does.
  const delay = key.pts === undefined || key.dts === undefined ? undefined : key.pts - key.dts;
  const isStamped = isWhollyStamped || delay !== undefined;
  // AVI numbers its packets and does not stamp its pictures: they follow one another. Unless they are reordered, each is
  // shown when it is decoded.
  const timeOf = ({ pts, dts }: Packet): number =>
    (isWhollyStamped ? pts : dts !== undefined ? dts + (delay ?? 0) : pts) ?? 0;
  const keyTime = timeOf(key);
  // Pictures shown before the first key frame refer to missing ones.
  const shown = packets.filter(({ isHidden }) => !isHidden);
  const times = shown
    .map(timeOf)
    .filter((time) => time >= keyTime)
    .toSorted((one, other) => one - other);
  const keyTicks = shown
    .filter(({ isKey }) => isKey)
    .map(timeOf)
    .toSorted((one, other) => one - other);
  const distinct = times.filter((time, index) => time !== times[index - 1]);
  const isPlaced = isStamped || stream.heldBack === 0;
  const isRising = isPlaced && distinct.length === times.length;
  const [startTicks = 0] = times;
  // An AVI that was copied from another format declares two ticks for each picture, and ffmpeg states the rate of ticks.
  const gridRate = isPlaced ? undefined : findGridRate(distinct, stream.timeBase);
  const claimed = gridRate ?? nominalRate(stream, times);
  // If all pictures are on the grid of the declared rate, one with a repeated time fills the gap that it left.
  const hasRepeated =
    isPlaced && !isRising && distinct.length * 2 > times.length && !liesOnGrid(distinct, stream.timeBase, claimed);
  const isOnGrid = isRising || stream.isInDecodingOrder === true;
  const rate = isOnGrid ? findConstantRate(times, stream.timeBase, stream.claimedRates) : claimed;
  if (stream.isInDecodingOrder && rate === undefined) throw noDisplayTimes();
  // The decoder's estimates differ from these by several ticks, so pictures of such a rate are placed on its grid.
  const estimatedRate =
    rate === undefined && isStamped && !isWhollyStamped
      ? findEstimatedRate(times, stream.timeBase, stream.claimedRates)
      : undefined;
  const constantRate = hasRepeated ? undefined : (rate ?? estimatedRate);
  const last = times.at(-1) ?? startTicks;
  const held = isStamped ? 0 : releaseTicks(stream, constantRate);
  const endTicks = last + held + lastDuration(stream, packets, distinct, constantRate);
  const earliest = shown.reduce((least, packet) => Math.min(least, timeOf(packet)), startTicks);
  return {
    ...stream,
    ...(stream.declaredSeconds !== undefined && {
      declaredSeconds: stream.declaredSeconds - (startTicks - earliest) * valueOf(stream.timeBase),
    }),
    // Pictures that are counted, or whose release is known, are not late.
    ...{ heldBack: stream.isInDecodingOrder || held > 0 ? 0 : stream.heldBack, startTicks: startTicks + held },
    ...{ endTicks, bitrate: stream.bitrate || averageBitrate(listed, endTicks - startTicks - held, stream.timeBase) },
    stamps: (isRising && estimatedRate === undefined) || hasRepeated ? distinct : undefined,
    isStamped,
    frames: hasRepeated ? distinct.length : times.length,
    ...{ hasRepeated, keyTicks: keyTicks.map((tick) => tick + held), constantRate },
    ...{ startsLate: times.length < shown.length, hasHidden: shown.length < packets.length },
    undatedPackets: Math.max(
      0,
      packets.findIndex(({ dts }) => dts !== undefined),
    ),
  };
}

/** Seconds from the first picture to the end of the last. */
export function pictureSeconds({ startTicks, endTicks, timeBase }: TimedPictures): number {
  return (endTicks - startTicks) * valueOf(timeBase);
}
