import type { MetadataResult } from '../../contract/http/metadata.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { formatBytes, formatClock } from './format.ts';
import { channelWords } from './preset-words.ts';

interface Seen {
  bytes?: number;
  seconds?: number;
  width?: number;
  height?: number;
}

/** Facts of a file that the browser knows: `3:07 · 1920 × 1080 · 240 MB` */
export function seenWords({ bytes, seconds, width, height }: Seen): string {
  return join([
    seconds !== undefined && formatClock(seconds),
    width !== undefined && height !== undefined && chooserTexts.streams.size(width, height),
    bytes !== undefined && formatBytes(bytes),
  ]);
}

/** Facts that a container has found: `3:07 · H264 1920 × 1080 25 fps · AAC stereo · 3 chapters` */
export function inspectedWords({ duration, streams, chapters }: MetadataResult): string {
  const shown = streams.flatMap(({ type, codec, width, height, fps, channels }) => {
    if (type !== 'video' && type !== 'audio') return [];
    const size = width !== undefined && height !== undefined && chooserTexts.streams.size(width, height);
    const facts = [size, fps !== undefined && chooserTexts.streams.fps(fps), channels && channelWords(channels)];
    return [[codec.toUpperCase(), ...facts.filter(Boolean)].join(' ')];
  });
  const subtitles = streams.filter(({ type }) => type === 'subtitle').length;
  return join([
    formatClock(duration),
    ...shown,
    chapters.length > 0 && chooserTexts.streams.chapters(chapters.length),
    subtitles > 0 && chooserTexts.streams.subtitles(subtitles),
  ]);
}

function join(facts: readonly (string | false)[]): string {
  return facts.filter((fact) => fact !== false).join(' · ');
}
