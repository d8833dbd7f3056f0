import {
  allowedAudioDecoders,
  allowedDemuxers,
  allowedPictureDecoders,
  allowedSubtitleDecoders,
  allowedSubtitlePictureDecoders,
  allowedTextDecoders,
  allowedVideoDecoders,
} from './allowed.ts';

/** One allocation of ffmpeg at most, in bytes: far above what audio needs, far below what a machine has. */
export const maxAllocBytes = 256 * 1024 ** 2;

interface Allowed {
  protocols: readonly string[];
  formats: readonly string[];
  decoders: readonly string[];
}

function guards({ protocols, formats, decoders }: Allowed): string[] {
  return [
    ...['-max_alloc', String(maxAllocBytes)],
    ...['-protocol_whitelist', protocols.join(',')],
    ...['-format_whitelist', formats.join(',')],
    ...['-codec_whitelist', decoders.join(',')],
  ];
}

/** Input options that keep a hostile file from reading others, for ffmpeg. */
export const decodeGuards: readonly string[] = guards({
  protocols: ['file'],
  formats: allowedDemuxers,
  decoders: allowedAudioDecoders,
});

/** The same for the subtitles of a source that are text; `formats`: of another file than the source. */
export function textGuards(formats: readonly string[] = allowedDemuxers): string[] {
  return guards({ protocols: ['file'], formats, decoders: allowedTextDecoders });
}

/** For the packets of subtitles that are copied, and not decoded: ffmpeg opens decoders all the same, to find out what a stream is. */
export const subtitleCopyGuards: readonly string[] = guards({
  protocols: ['file'],
  formats: allowedDemuxers,
  decoders: allowedSubtitlePictureDecoders,
});

/** For a file of such packets that was made here. `pixels`: of all that they draw on; a broadcast has up to 256 regions, each of as many. */
export function subtitlePictureGuards(pixels = maxInputPixels): string[] {
  return [
    ...guards({ protocols: ['file'], formats: ['matroska'], decoders: allowedSubtitlePictureDecoders }),
    ...['-max_pixels', String(pixels), '-f', 'matroska'],
  ];
}

/** For a picture of ffmpeg's own, that characters are drawn over to see which fonts have them. */
export const fontCheckGuards: readonly string[] = [
  ...guards({ protocols: [], formats: ['lavfi'], decoders: ['rawvideo', 'wrapped_avframe'] }),
  ...['-f', 'lavfi'],
];

/** The same for ffprobe, which looks at the other streams too. */
export const probeGuards: readonly string[] = [
  ...guards({
    protocols: ['file'],
    formats: allowedDemuxers,
    decoders: [...allowedAudioDecoders, ...allowedVideoDecoders],
  }),
  ...['-codec_whitelist:s', allowedSubtitleDecoders.join(',')],
];

/** Pixels of one picture of a film: 8192x4608. Two of twice that decode from 395 KB to 0.7 GB. */
export const maxInputPixels = 8192 * 4608;

/** For the pictures of a source, with so many threads. */
export function pictureDecodeGuards(threads: number): string[] {
  return [
    ...guards({ protocols: ['file'], formats: allowedDemuxers, decoders: allowedPictureDecoders }),
    ...['-max_pixels', String(maxInputPixels), '-threads', String(threads)],
  ];
}

/** For a file that was made here, by its demuxer. */
export function finishedFileGuards(demuxer: string): string[] {
  const decoders = [...allowedAudioDecoders, ...allowedPictureDecoders];
  return [...guards({ protocols: ['file'], formats: [demuxer], decoders }), '-f', demuxer];
}

/** For the pictures that another ffmpeg has decoded, one after the other. */
export function rawPictureGuards(picture: { width: number; height: number; pixelFormat: string }): string[] {
  const { width, height, pixelFormat } = picture;
  return [
    ...guards({ protocols: ['file'], formats: ['rawvideo'], decoders: ['rawvideo'] }),
    ...['-f', 'rawvideo', '-video_size', `${width}x${height}`, '-pixel_format', pixelFormat, '-framerate', '25'],
  ];
}

/** For a part of a file, read by the protocol `subfile`. Only its own format and decoder are allowed. */
export function partGuards(format: string, decoder: string): string[] {
  return [...guards({ protocols: ['file', 'subfile'], formats: [format], decoders: [decoder] }), '-f', format];
}

/** A picture may have so many: more than any camera or scanner of a studio makes, and 200 MB decoded. */
const maxPicturePixels = 50_000_000;

/** For a file with one picture. Only its own format and decoder are allowed. */
export function pictureGuards(demuxer: string, decoder: string, maxPixels = maxPicturePixels): string[] {
  const allowed = { protocols: ['file'], formats: [demuxer], decoders: [decoder] };
  return [...guards(allowed), '-max_pixels', String(maxPixels), '-f', demuxer];
}

/** For a file that lies in another one, read by the protocol `subfile`. Only the demuxer of that is allowed. */
export function joinedPartGuards(demuxer: string): string[] {
  const allowed = { protocols: ['file', 'subfile'], formats: [demuxer], decoders: allowedAudioDecoders };
  return [...guards(allowed), '-f', demuxer];
}
