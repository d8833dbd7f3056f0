import { tagNames } from '../formats/tags/tag-names.ts';

/** Names of fields in some formats, in lower case. */
const fieldNames: ReadonlyMap<string, string> = new Map([
  ...['title-sort', 'titlesort'].map((field) => [field, 'sort_name'] as const),
  ...['artist-sort', 'artistsort'].map((field) => [field, 'sort_artist'] as const),
  ...['album-sort', 'albumsort'].map((field) => [field, 'sort_album'] as const),
  ...['tso2', 'albumartistsort'].map((field) => [field, 'sort_album_artist'] as const),
  ...['tsoc', 'composersort'].map((field) => [field, 'sort_composer'] as const),
  ...['tkey', 'initial_key'].map((field) => [field, 'initialkey'] as const),
  ...[['tbpm', 'bpm'] as const, ['tsrc', 'isrc'] as const, ['tit3', 'subtitle'] as const],
]);

/** The generic name of a tag, in lower case; a custom name as it is. */
export function tagKey(name: string): string {
  const lower = name.toLowerCase();
  const generic = fieldNames.get(lower) ?? lower;
  return tagNames.has(generic) ? generic : name;
}
