import { type VideoCodec, videoCodecFacts } from '../../../contract/video-codecs.ts';
import { maxOutputPixels } from '../../pictures/plan-video.ts';

/** Fields in which the renditions of a package differ. */
export interface ChosenRendition {
  /** pixels */
  width: number | undefined;
  height: number | undefined;
  /** kbit/s; undefined: the codec has no limit */
  maxBitrate: number | undefined;
}

/** Pixels of the shorter side and kbit/s of H.264: Apple's ladder ("HLS Authoring Specification", 2.1), extended to 2160. */
const ladder: readonly { side: number; bitrate: number }[] = [
  { side: 234, bitrate: 145 },
  { side: 360, bitrate: 365 },
  { side: 432, bitrate: 730 },
  { side: 540, bitrate: 2000 },
  { side: 720, bitrate: 4500 },
  { side: 1080, bitrate: 7800 },
  { side: 1440, bitrate: 13_500 },
  { side: 2160, bitrate: 28_000 },
];

/** Share of the bits that other codecs need for the same pictures. HEVC's is Apple's figure. */
const shareOfH264: Partial<Record<VideoCodec, number>> = { hevc: 0.6, av1: 0.5 };

/** H.264 players need no more. */
const mostSide: Partial<Record<VideoCodec, number>> = { h264: 1080 };

/** Closer sizes look alike. */
const mostShareOfNextSide = 0.85;
const mostShareOfNextBitrate = 0.7;

/** kbit/s of the smallest rendition, for the slowest networks. */
export const lowestBitrate = (codec: VideoCodec): number => (ladder[0]?.bitrate ?? 0) * (shareOfH264[codec] ?? 1);

export interface LadderSource {
  /** Shown size in pixels. */
  width: number;
  height: number;
  /** kbit/s of the pictures; 0 where it is unknown */
  bitrate: number;
}

/** The shorter side of the largest size: the codec's limit, or the largest rung within the limit of pixels. */
function largestSide(codec: VideoCodec, { width, height }: LadderSource): number {
  const shorter = Math.min(width, height);
  const side = Math.min(shorter, mostSide[codec] ?? Infinity);
  // The longer side is rounded to an even number.
  const isWithin = (most: number): boolean =>
    most * 2 * Math.ceil((Math.max(width, height) * most) / shorter / 2) <= maxOutputPixels;
  if (isWithin(side)) return side;
  return ladder.findLast((rung) => rung.side < side && isWithin(rung.side))?.side ?? side;
}

/**
 * Sizes that suit a source, the largest first. None is larger than the source, has more bits or more pixels than an
 * output may have, or resembles the next one (pure).
 */
export function chooseRenditions(codec: VideoCodec, source: LadderSource): ChosenRendition[] {
  const { width, height, bitrate } = source;
  const isWide = width >= height;
  const share = shareOfH264[codec] ?? 1;
  const side = largestSide(codec, source);
  const rateOf = (wanted: number): number =>
    share * ((ladder.find((rung) => rung.side >= wanted) ?? ladder.at(-1))?.bitrate ?? 0);
  const topRate = Math.min(rateOf(side), bitrate > 0 ? bitrate : Infinity);
  const rungs = [{ side, bitrate: topRate }];
  for (const rung of ladder.toReversed()) {
    const next = rungs.at(-1) ?? rung;
    const candidate = { side: rung.side, bitrate: rung.bitrate * share };
    const isLess =
      candidate.side <= next.side * mostShareOfNextSide && candidate.bitrate <= next.bitrate * mostShareOfNextBitrate;
    if (isLess) rungs.push(candidate);
  }
  return rungs.map((rung) => ({
    width: isWide ? undefined : rung.side,
    height: isWide ? rung.side : undefined,
    maxBitrate: videoCodecFacts(codec).capsBitrate ? Math.max(20, Math.round(rung.bitrate)) : undefined,
  }));
}
