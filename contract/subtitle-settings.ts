import type { Track } from './http/audio.ts';
import type { DescribedOutput } from './http/output.ts';
import type { ContainerSubtitles, SubtitleEncoding } from './http/subtitles.ts';
import type { ContainerLink } from './http/tags.ts';
import { type OutputNaming, UnsupportedOutput } from './unsupported-output.ts';

/** A linked subtitle file. */
export interface SubtitleLink extends ContainerLink {
  encoding?: SubtitleEncoding | undefined;
  clock?: 'sound' | undefined;
}

/** A file that becomes a track. */
export interface AddedSubtitles {
  link: SubtitleLink;
  language: string | undefined;
  title: string | undefined;
  isDefault: boolean;
  isForced: boolean;
}

/** Subtitles of an output, with defaults applied. */
export interface SubtitleSettings {
  /** `all`: every track of the source that the container can hold. */
  keep: 'all' | readonly Track[];
  add: readonly AddedSubtitles[];
  /** Undefined: none is drawn onto the pictures. */
  burn: { track: Track } | { link: SubtitleLink } | undefined;
}

/** Subtitles of an output and its preset. Throws if both would be burnt in. */
export function overrideSubtitles(
  base: ContainerSubtitles | undefined,
  { subtitles, presetSubtitles }: Pick<DescribedOutput, 'subtitles' | 'presetSubtitles'>,
  naming: OutputNaming,
): ContainerSubtitles | undefined {
  if (subtitles === undefined || presetSubtitles === undefined) return subtitles ?? base;
  const { keep, add = [], burn } = subtitleFields(base);
  const over = subtitleFields(subtitles);
  if (burn !== undefined && over.burn !== undefined) {
    throw new UnsupportedOutput(naming, 'its preset burns in subtitles, too; burn in only one of the two');
  }
  return { keep: over.keep ?? keep, add: [...add, ...(over.add ?? [])], burn: over.burn ?? burn };
}

/** The fields that a short form such as `keep` stands for. */
export function subtitleFields<Fields extends object>(
  subtitles: Fields | 'keep' | 'drop' | 'burn' = 'drop',
): Fields | { keep?: true; add?: undefined; burn?: 'default' } {
  if (typeof subtitles === 'object') return subtitles;
  return {
    ...(subtitles === 'keep' && { keep: true as const }),
    ...(subtitles === 'burn' && { burn: 'default' as const }),
  };
}

/** Applies the defaults. Undefined: the output drops all subtitles. */
export function settleSubtitles(asked: ContainerSubtitles = 'drop'): SubtitleSettings | undefined {
  if (asked === 'drop') return undefined;
  const { keep = [], add = [], burn } = subtitleFields(asked);
  return {
    keep: keep === true ? 'all' : keep,
    add: add.map(
      ({ url, headers, encoding, clock, language, title, default: isDefault = false, forced: isForced = false }) => ({
        ...{ link: { url, headers, encoding, clock }, language, title, isDefault, isForced },
      }),
    ),
    burn: burn === undefined ? undefined : typeof burn === 'object' ? { link: burn } : { track: burn },
  };
}

export function subtitleLinks({ add, burn }: SubtitleSettings): SubtitleLink[] {
  return [...add.map(({ link }) => link), ...(burn !== undefined && 'link' in burn ? [burn.link] : [])];
}
