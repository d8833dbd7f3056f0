import type { VideoSettings } from '../../contract/file-settings.ts';
import type { OutputNaming } from '../../contract/unsupported-output.ts';
import { videoCodecFacts } from '../../contract/video-codecs.ts';
import { keepsColours, keptPixelFormat } from './kept-pictures.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { planToneMap } from './tone-map.ts';
import { hdrNames, isHighDynamicRange } from '../ffmpeg/colour-tags.ts';
import type { ToneMap } from '../plan/video-plan.ts';

/** What a picture has in colour besides 8 bits, by the names that ffmpeg gives pixel formats. */
const deepFormat = /(?:p|gray)(?:9|1[0-6])(?:le|be)|p01[06]|gbr.*1[0-6]|rgb48|rgba64/;

const isDeep = (pixelFormat: string): boolean => deepFormat.test(pixelFormat);

/** How deep the pictures of an output are, and whether bright ones become those of ordinary screens. */
interface RangePlan {
  /** ffmpeg's name */
  pixelFormat: string;
  /** Undefined: colours stay what they are. */
  toneMap: ToneMap | undefined;
  /** Every sample is the source's. */
  isKept: boolean;
  /** What the source has would be lost without anybody having asked for that; as a sentence without its end. */
  refusal?: string;
}

export function planRange(settings: VideoSettings, naming: OutputNaming, source: PictureSource): RangePlan {
  const { pixelFormats, deepPixelFormat } = videoCodecFacts(settings.codec);
  const [first] = pixelFormats;
  const { hdr, pixelFormat: asked } = settings;
  const isHdr = isHighDynamicRange(source);
  if (isHdr && hdr === 'sdr') return { pixelFormat: asked ?? first, toneMap: planToneMap(source), isKept: false };
  if (keepsColours(settings)) {
    return { pixelFormat: keptPixelFormat(source, naming), toneMap: undefined, isKept: true };
  }
  const deep = isDeep(source.pixelFormat) ? deepPixelFormat : undefined;
  const deepest = isHdr && hdr === 'keep' ? pixelFormats.find(isDeep) : undefined;
  const pixelFormat = asked ?? deep ?? deepest ?? first;
  if (!isHdr || isDeep(pixelFormat)) return { pixelFormat, toneMap: undefined, isKept: false };
  const kept = pixelFormats.some(isDeep) ? ', or "hdr": "keep" without a pixelFormat of 8 bits' : '';
  const refusal = `the source is in high dynamic range (${hdrNames[source.colour.transfer ?? '']}), which 8 bits do not hold; say "hdr": "sdr" for the colours of ordinary screens${kept}`;
  return { pixelFormat, toneMap: undefined, isKept: false, refusal };
}
