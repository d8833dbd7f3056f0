import { containers } from '../../contract/formats.ts';
import { maxWrittenMetadataBytes, metadataBytes, type TagOptions } from '../../contract/http/tags.ts';
import { writtenLanguage } from '../ffmpeg/written-language.ts';
import { tagNames } from '../formats/tags/tag-names.ts';
import { tagKey } from '../source/tag-key.ts';
import type { OutputPlan, WrittenMetadata } from '../plan/planned-output.ts';
import type { Source } from '../source/source.ts';
import type { TagPlan } from './output-tags.ts';

/** Matroska and ffmpeg name these fields in capitals. */
function matroskaName(name: string): string {
  if (name === 'initialkey') return 'INITIAL_KEY';
  return (name.startsWith('sort_') ? tagNames.get(name)?.vorbis : undefined) ?? name;
}

/**
 * Metadata that ffmpeg writes into a file of this container: the language of its sound and, in Matroska, the requested
 * fields and those of the source that fit.
 */
export function planWrittenMetadata(
  { metadata }: Pick<TagPlan, 'metadata'>,
  { container, audio }: Pick<OutputPlan, 'container' | 'audio'>,
  { metadata: asked = {} }: TagOptions,
  tracks: Source['tracks'],
): WrittenMetadata | undefined {
  const { tags, demuxer } = containers[container];
  if (tags !== 'metadata' && demuxer !== 'mov') return undefined;
  const named = metadata.get('language') ?? tracks.find(({ track }) => track === audio?.track)?.language ?? '';
  const language = /^[a-z]{3}$/.test(named) ? writtenLanguage(container, named) : undefined;
  if (tags !== 'metadata') return { entries: new Map(), language };
  const askedKeys = new Set(Object.keys(asked).map(tagKey));
  const isAsked = ([name]: readonly [string, string]): boolean => askedKeys.has(name);
  const ordered = [...[...metadata].filter(isAsked), ...[...metadata].filter((entry) => !isAsked(entry))];
  const entries = new Map<string, string>();
  let bytes = 0;
  for (const [name, value] of ordered) {
    const more = metadataBytes(name, value);
    if (bytes + more > maxWrittenMetadataBytes) continue;
    bytes += more;
    entries.set(matroskaName(name), value);
  }
  return { entries, language };
}
