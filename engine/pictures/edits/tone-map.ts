import { type ColourTags, hdTelevision, isHighDynamicRange } from '../../ffmpeg/colour-tags.ts';
import type { PictureSource, PictureStream } from '../../source/pictures/picture-source.ts';
import { planRange } from '../dynamic-range.ts';
import type { PictureEdit } from './picture-edit.ts';
import type { ToneMap } from '../../plan/video-plan.ts';

/** cd/m²: zscale's brightness 1.0, the white of an SDR screen. */
const nominalPeak = 100;

/**
 * cd/m², for sources that do not state their peak. Most are mastered on screens of 1000 cd/m², for which HLG is
 * designed.
 */
const usualPeak = 1000;

/** cd/m²: the limit of PQ. */
const brightest = 10_000;

const primariesNames: Readonly<Record<string, string>> = {
  bt709: 'bt709',
  bt2020: 'bt2020',
  smpte431: 'smpte431',
  smpte432: 'smpte432',
};

const matrixNames: Readonly<Record<string, string>> = {
  bt709: 'bt709',
  smpte170m: 'smpte170m',
  bt470bg: 'bt470bg',
  bt2020nc: 'bt2020nc',
  bt2020c: 'bt2020c',
  ictcp: 'ictcp',
};

/** Plans the mapping of an HDR source. */
export function planToneMap({ colour, isFullRange, isRgb, brightness }: PictureStream): ToneMap {
  const peak = Math.min(brightest, Math.max(nominalPeak, brightness ?? usualPeak));
  return {
    transfer: colour.transfer === 'arib-std-b67' ? 'arib-std-b67' : 'smpte2084',
    primaries: primariesNames[colour.primaries ?? ''] ?? 'bt2020',
    matrix: isRgb ? 'gbr' : (matrixNames[colour.space ?? ''] ?? 'bt2020nc'),
    range: isRgb || isFullRange ? 'full' : 'limited',
    // HLG has no absolute brightness: zscale renders it as on a screen of 1000 cd/m².
    peak: (colour.transfer === 'arib-std-b67' ? usualPeak : peak) / nominalPeak,
  };
}

/** Side data by which players would adapt the brightness. */
const hdrSideData = ['MASTERING_DISPLAY_METADATA', 'CONTENT_LIGHT_LEVEL', 'DYNAMIC_HDR_PLUS'];

/**
 * ffmpeg filters for the mapping, in linear light with BT.709 primaries. John Hable's curve keeps dark values and
 * compresses bright ones below white. The hue stays.
 */
export function toneMapFilters({ transfer, primaries, matrix, range, peak }: ToneMap): string[] {
  const isHlg = transfer === 'arib-std-b67';
  return [
    ...(matrix === 'gbr' ? ['format=gbrp16le'] : []),
    `setparams=colorspace=${matrix}:color_primaries=${primaries}:color_trc=${transfer}:range=${range}`,
    // zscale's approximation of HLG would apply the system gamma to red, green and blue separately instead of to
    // luminance.
    `zscale=t=linear:npl=${nominalPeak}${isHlg ? ':agamma=0' : ''}`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    `tonemap=tonemap=hable:desat=0:peak=${peak}`,
    'zscale=t=bt709:p=bt709:m=bt709:r=limited:d=ordered',
    ...hdrSideData.map((type) => `sidedata=mode=delete:type=${type}`),
  ];
}

/** Bytes per pixel in floating point; measured 39 at 1080p. */
const bytesPerPixel = 40;

function outputColour(source: PictureSource, isMapped: boolean, isFromRgb: boolean): ColourTags {
  if (isMapped) return hdTelevision;
  if (!isFromRgb) return source.colour;
  return isHighDynamicRange(source) ? { ...source.colour, space: 'bt2020nc' } : hdTelevision;
}

/** Decides the colours of the output, and maps HDR to SDR on request. */
export const toneMap: PictureEdit = {
  plan({ settings, output, source }) {
    const { pixelFormat, isMapped, isKept, refusal } = planRange(settings, output, source);
    const isFromRgb = !isKept && source.isRgb;
    const holdsMastering = settings.codec === 'hevc' || settings.codec === 'av1';
    const { mastering } = source;
    return {
      pixelFormat,
      toneMap: isMapped ? planToneMap(source) : undefined,
      colour: outputColour(source, isMapped, isFromRgb),
      isFromRgb,
      isFromFullRange: !isKept && source.isFullRange,
      isFullRange: isKept && source.isFullRange,
      ...(!isMapped && holdsMastering && mastering !== undefined && { mastering }),
      ...(refusal !== undefined && { refusal }),
    };
  },
  onScaled: (plan) => (plan.toneMap === undefined ? [] : toneMapFilters(plan.toneMap)),
  obstacleToCopy(plan, { source }) {
    if (plan.toneMap !== undefined) return 'its high dynamic range is mapped to standard dynamic range';
    const isOfTelevision = !source.isFullRange && !plan.isFromRgb;
    return isOfTelevision ? undefined : "the source's pictures are not in the range of television";
  },
  memory({ toneMap: planned, shape: { scaled } }) {
    return planned === undefined ? 0 : bytesPerPixel * scaled.width * scaled.height;
  },
};
