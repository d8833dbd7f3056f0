import type { ProbedStream } from '../../ffmpeg/probed.ts';

/** Codecs whose transparency WebM stores beside the pictures. ffmpeg also tags FFV1 in yuva420p. */
const alphaBesideCodecs: ReadonlySet<string> = new Set(['vp8', 'vp9']);

/** Whether WebM stores transparency beside the pictures. ffmpeg writes the tag in capitals where it copies a WebM. */
export function hasAlphaBeside({ codec_name: codec, tags }: ProbedStream): boolean {
  return alphaBesideCodecs.has(codec) && (tags['alpha_mode'] ?? tags['ALPHA_MODE']) === '1';
}
