import {
  allowedAudioDecoders,
  allowedDemuxers,
  allowedPictureDecoders,
  allowedSubtitleDecoders,
  allowedSubtitlePictureDecoders,
  allowedTextDecoders,
  allowedVideoDecoders,
} from './allowed.ts';

/** Largest single allocation of ffmpeg, in bytes: far more than audio needs, far less than a machine has. */
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

/**
 * ffmpeg guesses the times of packets without timestamps, such as ALAC of mkvmerge, from what it has decoded. With
 * several threads it is some frames behind, so that a gap and an overlap would appear in healthy sound.
 */
const soundThreads = ['-threads:a', '1'];

/** Input options for ffmpeg that keep a hostile file from reading others. */
export const decodeGuards: readonly string[] = [
  ...guards({ protocols: ['file'], formats: allowedDemuxers, decoders: allowedAudioDecoders }),
  ...soundThreads,
];

/** Guards for text subtitles of a source, or of a separate file with one of `formats`. */
export function textGuards(formats: readonly string[] = allowedDemuxers): string[] {
  return guards({ protocols: ['file'], formats, decoders: allowedTextDecoders });
}

/**
 * Guards for subtitle packets that are copied without decoding. ffmpeg still opens decoders, to identify the streams.
 */
export const subtitleCopyGuards: readonly string[] = guards({
  protocols: ['file'],
  formats: allowedDemuxers,
  decoders: allowedSubtitlePictureDecoders,
});

/**
 * Guards for a file of such packets that Holdfast wrote. `pixels` bounds their whole canvas; a broadcast has up to 256
 * regions of that size.
 */
export function subtitlePictureGuards(pixels = maxInputPixels): string[] {
  return [
    ...guards({ protocols: ['file'], formats: ['matroska'], decoders: allowedSubtitlePictureDecoders }),
    ...['-max_pixels', String(pixels), '-f', 'matroska'],
  ];
}

/** Guards for pictures that ffmpeg generates. */
export const generatedGuards: readonly string[] = [
  ...guards({ protocols: [], formats: ['lavfi'], decoders: ['rawvideo', 'wrapped_avframe'] }),
  ...['-f', 'lavfi'],
];

/** Guards for ffprobe, which also reads the other streams. */
export const probeGuards: readonly string[] = [
  ...guards({
    protocols: ['file'],
    formats: allowedDemuxers,
    decoders: [...allowedAudioDecoders, ...allowedVideoDecoders],
  }),
  ...['-codec_whitelist:s', allowedSubtitleDecoders.join(',')],
];

/** Guards for ffprobe of a part of a file, read with the protocol `subfile`. Only its demuxer is allowed. */
export function partProbeGuards(demuxer: string): string[] {
  const decoders = [...allowedAudioDecoders, ...allowedVideoDecoders];
  return [...guards({ protocols: ['file', 'subfile'], formats: [demuxer], decoders }), '-f', demuxer];
}

/** Largest picture of a film, in pixels: 8192x4608. Two pictures of twice that size decode from 395 KB to 0.7 GB. */
export const maxInputPixels = 8192 * 4608;

/** Guards for the pictures of a source, decoded with `threads` threads. */
export function pictureDecodeGuards(threads: number): string[] {
  return [
    ...guards({ protocols: ['file'], formats: allowedDemuxers, decoders: allowedPictureDecoders }),
    ...['-max_pixels', String(maxInputPixels), '-threads', String(threads)],
  ];
}

/** Guards for a file that Holdfast wrote, with its demuxer. */
export function finishedFileGuards(demuxer: string): string[] {
  const decoders = [...allowedAudioDecoders, ...allowedPictureDecoders];
  return [...guards({ protocols: ['file'], formats: [demuxer], decoders }), '-f', demuxer];
}

/** Guards for consecutive pictures that another ffmpeg has decoded. */
export function rawPictureGuards(picture: { width: number; height: number; pixelFormat: string }): string[] {
  const { width, height, pixelFormat } = picture;
  return [
    ...guards({ protocols: ['file'], formats: ['rawvideo'], decoders: ['rawvideo'] }),
    ...['-f', 'rawvideo', '-video_size', `${width}x${height}`, '-pixel_format', pixelFormat, '-framerate', '25'],
  ];
}

/** Guards for a part of a file, read with the protocol `subfile`. Only its own format and decoder are allowed. */
export function partGuards(format: string, decoder: string): string[] {
  return [...guards({ protocols: ['file', 'subfile'], formats: [format], decoders: [decoder] }), '-f', format];
}

/** Largest still picture in pixels: more than any camera or studio scanner makes, and 200 MB decoded. */
const maxPicturePixels = 50_000_000;

/** Guards for a file with one picture. Only its own format and decoder are allowed. */
export function pictureGuards(demuxer: string, decoder: string, maxPixels = maxPicturePixels): string[] {
  const allowed = { protocols: ['file'], formats: [demuxer], decoders: [decoder] };
  return [...guards(allowed), '-max_pixels', String(maxPixels), '-f', demuxer];
}

/** Guards for a file inside another one, read with the protocol `subfile`. Only its demuxer is allowed. */
export function joinedPartGuards(demuxer: string): string[] {
  const allowed = { protocols: ['file', 'subfile'], formats: [demuxer], decoders: allowedAudioDecoders };
  return [...guards(allowed), ...soundThreads, '-f', demuxer];
}
