import type { Probed } from './probed.ts';

/** What a file says of itself. Ogg says it in its stream of sound. */
export function fileTags({ format, streams }: Pick<Probed, 'format' | 'streams'>): Record<string, string> {
  const inOgg = format.format_name === 'ogg' ? streams.find(({ codec_type }) => codec_type === 'audio') : undefined;
  return { ...inOgg?.tags, ...format.tags };
}
