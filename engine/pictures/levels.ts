import type { VideoCodec } from '../../contract/video-codecs.ts';
import { levelNames, type VideoLevel, videoLevels } from '../../contract/video-levels.ts';
import type { Size } from '../ffmpeg/size.ts';
import { bufferSeconds } from './rate-buffer.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import type { VideoTiming } from '../plan/video-plan.ts';

/** Highest momentary frame rate. */
function quickestRate(timing: VideoTiming): number {
  if (timing.kind === 'constant') return valueOf(timing.fps);
  const { stamps, timeBase } = timing;
  const shortest = stamps.reduce((least, stamp, index) => {
    const before = stamps[index - 1];
    return before === undefined ? least : Math.min(least, stamp - before);
  }, Infinity);
  return shortest === Infinity ? 0 : 1 / (shortest * valueOf(timeBase));
}

/** H.264 allows more bits to profiles with more than 8 bits or more colour (table A-2, `cpbBrVclFactor`). */
function bitsFactor(codec: VideoCodec, pixelFormat: string): number {
  if (codec !== 'h264') return 1;
  if (/^yuv4[24][24]p/.test(pixelFormat)) return 4;
  return pixelFormat.endsWith('10le') ? 3 : 1.25;
}

/** Properties that a level limits. */
export interface LevelledPictures {
  codec: VideoCodec;
  level?: string | undefined;
  pixelFormat: string;
  size: Size;
  timing: VideoTiming;
  /** kbit/s. */
  bitrate?: number | undefined;
  maxBitrate?: number | undefined;
}

const levelTable = ({ codec, level }: LevelledPictures): VideoLevel | undefined => videoLevels[codec]?.[level ?? ''];

/** Maximum kbit/s over the time of the buffer; undefined if no level is requested. */
export function mostBitrateOf(pictures: LevelledPictures): number | undefined {
  const limits = levelTable(pictures);
  if (limits === undefined) return undefined;
  const factor = bitsFactor(pictures.codec, pictures.pixelFormat);
  return Math.floor(factor * Math.min(limits.bitrate, limits.buffer / bufferSeconds));
}

/** Coded side length: in macroblocks for H.264, and in pixels for HEVC, rounded to x265's smallest blocks of 8. */
const codedSide = (codec: VideoCodec, side: number): number =>
  codec === 'h264' ? Math.ceil(side / 16) : Math.ceil(side / 8) * 8;

/** Limit of a level that the pictures exceed, if any. */
function tooMuch({ codec, size, timing }: LevelledPictures, limits: VideoLevel): 'size' | 'rate' | undefined {
  const [width, height] = [codedSide(codec, size.width), codedSide(codec, size.height)];
  // The square of a side may be up to eight times the size.
  if (width * height > limits.size || Math.max(width, height) ** 2 > 8 * limits.size) return 'size';
  return width * height * quickestRate(timing) > limits.rate * (1 + 1e-9) ? 'rate' : undefined;
}

/** Reason why a level cannot hold the pictures, as a sentence without its full stop; undefined if it can. */
export function findLevelProblem(pictures: LevelledPictures): string | undefined {
  const { codec, level, size, timing, bitrate = 0, maxBitrate = 0 } = pictures;
  const limits = levelTable(pictures);
  if (limits === undefined) return undefined;
  const name = `level ${level} of ${codec}`;
  const problem = tooMuch(pictures, limits);
  if (problem !== undefined) {
    const rate = problem === 'rate' ? `${Math.round(quickestRate(timing) * 1000) / 1000} ` : '';
    const what = `${rate}pictures${problem === 'rate' ? ' a second' : ''} of ${size.width}x${size.height} pixels`;
    const enough = levelNames(codec)?.find((other) => {
      const its = videoLevels[codec]?.[other];
      return its !== undefined && tooMuch(pictures, its) === undefined;
    });
    return `${name} is too low for ${what}; ${enough === undefined ? 'no level is high enough' : `use level ${enough}`}`;
  }
  const most = mostBitrateOf(pictures) ?? Infinity;
  const asked = Math.max(bitrate, maxBitrate);
  return asked > most ? `${name} allows ${most} kbit/s at most here, and the request asks for ${asked}` : undefined;
}
