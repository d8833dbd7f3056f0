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
  yuvj411p: 'yuv411p',
  yuvj420p: 'yuv420p',
  yuvj422p: 'yuv422p',
  yuvj440p: 'yuv440p',
  yuvj444p: 'yuv444p',
  gbrp: 'bgr0',
  gbrap: 'bgra',
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
  ...['rgb48le', 'rgba64le'],
]);

/** Pixel format in which FFV1 stores a source's pictures without loss. */
export function keptPixelFormat({ pixelFormat }: PictureSource, naming: OutputNaming): string {
  const kept = sameSamples[pixelFormat] ?? pixelFormat;
  if (taken.has(kept)) return kept;
  throw new UnsupportedOutput(
    naming,
    `the pictures of the source are ${pixelFormat}, which the codec does not keep without loss; ask for a pixelFormat`,
    { pixelFormat },
  );
}
