import type { VideoSettings } from '../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { videoCodecFacts } from '../../contract/video-codecs.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';

// A lossless codec keeps every sample of the source unless the request changes it.

/** True if an output has the source's pixels one to one, square or not. */
export function keepsShape({ codec, width, height }: VideoSettings): boolean {
  return videoCodecFacts(codec).isLossless && width === undefined && height === undefined;
}

/** True if the samples of a pixel stay unchanged. */
export function keepsColours({ codec, pixelFormat }: VideoSettings): boolean {
  return videoCodecFacts(codec).isLossless && pixelFormat === undefined;
}

/**
 * Pixel formats with the same samples in the order that FFV1 accepts. Other formats are accepted unchanged or rejected.
 */
const sameSamples: Readonly<Record<string, string>> = {
  nv12: 'yuv420p',
  nv21: 'yuv420p',
  nv16: 'yuv422p',
  yuyv422: 'yuv422p',
  uyvy422: 'yuv422p',
  yvyu422: 'yuv422p',
  nv24: 'yuv444p',
  nv42: 'yuv444p',
  p010le: 'yuv420p10le',
  yuvj411p: 'yuv411p',
  yuvj420p: 'yuv420p',
  yuvj422p: 'yuv422p',
  yuvj440p: 'yuv440p',
  yuvj444p: 'yuv444p',
  gbrp: 'bgr0',
  rgb24: 'bgr0',
  bgr24: 'bgr0',
  rgb0: 'bgr0',
  '0rgb': 'bgr0',
  '0bgr': 'bgr0',
  gbrap: 'bgra',
  rgba: 'bgra',
  argb: 'bgra',
  abgr: 'bgra',
  pal8: 'bgra',
  // Decoders of FFV1 return planes.
  rgb48le: 'gbrp16le',
  bgr48le: 'gbrp16le',
  rgba64le: 'gbrap16le',
  bgra64le: 'gbrap16le',
};

/** Formats of the allowed decoders (`ffmpeg/allowed.ts`) that FFV1 accepts. */
const taken: ReadonlySet<string> = new Set([
  ...['gray', 'gray9le', 'gray10le', 'gray12le', 'gray16le', 'ya8', 'bgr0', 'bgra'],
  ...['yuv410p', 'yuv411p', 'yuv440p', 'yuv440p10le', 'yuv440p12le', 'yuva420p', 'yuva422p', 'yuva444p'],
  ...['', '9le', '10le', '12le', '14le', '16le'].flatMap((depth) =>
    ['yuv420p', 'yuv422p', 'yuv444p'].map((name) => name + depth),
  ),
  ...['9le', '10le', '16le'].flatMap((depth) => ['yuva420p', 'yuva422p', 'yuva444p'].map((name) => name + depth)),
  ...['gbrp9le', 'gbrp10le', 'gbrp12le', 'gbrp14le', 'gbrp16le', 'gbrap10le', 'gbrap12le', 'gbrap16le'],
]);

/** Pixel format in which FFV1 stores a source's pictures without loss. */
export function keptPixelFormat({ pixelFormat, hasAlphaBeside }: PictureSource, naming: OutputNaming): string {
  if (hasAlphaBeside === true) {
    const problem = 'the pictures of the source have transparency that is not decoded; set a pixelFormat without it';
    throw new UnsupportedOutput(naming, problem, { pixelFormat });
  }
  const littleEndian = pixelFormat.replace(/be$/, 'le');
  const kept = sameSamples[littleEndian] ?? littleEndian;
  if (taken.has(kept)) return kept;
  throw new UnsupportedOutput(
    naming,
    `the pictures of the source are ${pixelFormat}, which the codec does not keep without loss; set a pixelFormat`,
    { pixelFormat },
  );
}
