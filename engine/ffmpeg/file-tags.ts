import type { Probed } from './probed.ts';

/** Tags of a file. Ogg stores them in its audio stream. */
export function fileTags({ format, streams }: Pick<Probed, 'format' | 'streams'>): Record<string, string> {
  const inOgg = format.format_name === 'ogg' ? streams.find(({ codec_type }) => codec_type === 'audio') : undefined;
  return { ...inOgg?.tags, ...format.tags };
}
