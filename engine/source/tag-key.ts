import { tagNames } from '../formats/tags/tag-names.ts';

/** Generic names of tags by the names of their fields in some formats, in lower case. */
const fieldNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'title-sort': 'sort_name',
    titlesort: 'sort_name',
    'artist-sort': 'sort_artist',
    artistsort: 'sort_artist',
    'album-sort': 'sort_album',
    albumsort: 'sort_album',
    tso2: 'sort_album_artist',
    albumartistsort: 'sort_album_artist',
    tsoc: 'sort_composer',
    composersort: 'sort_composer',
    tkey: 'initialkey',
    initial_key: 'initialkey',
    tbpm: 'bpm',
    tsrc: 'isrc',
    tit3: 'subtitle',
  }),
);

/** The generic name of a tag, in lower case; a custom name as it is. */
export function tagKey(name: string): string {
  const lower = name.toLowerCase();
  const generic = fieldNames.get(lower) ?? lower;
  return tagNames.has(generic) ? generic : name;
}
