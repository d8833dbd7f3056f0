import type { VideoSettings } from '../../contract/file-settings.ts';
import type { OutputNaming } from '../../contract/unsupported-output.ts';
import { videoCodecFacts } from '../../contract/video-codecs.ts';
import { keepsColours, keptPixelFormat } from './kept-pictures.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { hdrNames, isHighDynamicRange } from '../ffmpeg/colour-tags.ts';

/** Pixel formats with more than 8 bits per sample, by ffmpeg's names. */
const deepFormat = /(?:p|gray)(?:9|1[0-6])(?:le|be)|p01[06]|gbr.*1[0-6]|rgb48|rgba64/;

const isDeep = (pixelFormat: string): boolean => deepFormat.test(pixelFormat);

/** Bit depth of an output's pictures, and whether HDR becomes SDR. */
interface RangePlan {
  /** ffmpeg's name. */
  pixelFormat: string;
  /** HDR becomes SDR. */
  isMapped: boolean;
  /** Every sample stays the source's. */
  isKept: boolean;
  /**
   * Reason, as a sentence without its full stop, why the output would lose something that the request does not give up.
   */
  refusal?: string;
}

export function planRange(settings: VideoSettings, naming: OutputNaming, source: PictureSource): RangePlan {
  const { pixelFormats, deepPixelFormat } = videoCodecFacts(settings.codec);
  const [first] = pixelFormats;
  const { hdr, pixelFormat: asked } = settings;
  const isHdr = isHighDynamicRange(source);
  if (isHdr && hdr === 'sdr') return { pixelFormat: asked ?? first, isMapped: true, isKept: false };
  if (keepsColours(settings)) {
    return { pixelFormat: keptPixelFormat(source, naming), isMapped: false, isKept: true };
  }
  const deep = isDeep(source.pixelFormat) ? deepPixelFormat : undefined;
  const deepest = isHdr && hdr === 'keep' ? pixelFormats.find(isDeep) : undefined;
  const pixelFormat = asked ?? deep ?? deepest ?? first;
  if (!isHdr || isDeep(pixelFormat)) return { pixelFormat, isMapped: false, isKept: false };
  const kept = pixelFormats.some(isDeep) ? ', or "hdr": "keep" without a pixelFormat of 8 bits' : '';
  const refusal = `the source is in high dynamic range (${hdrNames[source.colour.transfer ?? '']}), which needs 10 bits; use "hdr": "sdr" for standard dynamic range${kept}`;
  return { pixelFormat, isMapped: false, isKept: false, refusal };
}
