import type { VideoSettings } from '../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { videoCodecFacts } from '../../contract/video-codecs.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';

// Of a lossless codec every sample is what the source has, as long as nothing else is asked for.

/** Whether an output has the source's pixels, one for one, also where they are no squares (pure). */
export function keepsShape({ codec, width, height }: VideoSettings): boolean {
  return videoCodecFacts(codec).isLossless && width === undefined && height === undefined;
}

/** Whether the samples of a pixel stay what they are (pure). */
export function keepsColours({ codec, pixelFormat }: VideoSettings): boolean {
  return videoCodecFacts(codec).isLossless && pixelFormat === undefined;
}

/** The same samples in the order in which FFV1 takes them. What is not here it takes as it is, or not at all. */
const sameSamples: Readonly<Record<string, string>> = {
  yuvj411p: 'yuv411p',
  yuvj420p: 'yuv420p',
  yuvj422p: 'yuv422p',
  yuvj440p: 'yuv440p',
  yuvj444p: 'yuv444p',
  gbrp: 'bgr0',
  gbrap: 'bgra',
};

/** Of those that the decoders make which are allowed here (`ffmpeg/allowed.ts`). */
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

/** What FFV1 has the pictures of a source in, without loss (pure). */
export function keptPixelFormat({ pixelFormat }: PictureSource, naming: OutputNaming): string {
  const kept = sameSamples[pixelFormat] ?? pixelFormat;
  if (taken.has(kept)) return kept;
  throw new UnsupportedOutput(
    naming,
    `the pictures of the source are ${pixelFormat}, which the codec does not keep without loss; ask for a pixelFormat`,
    { pixelFormat },
  );
}
