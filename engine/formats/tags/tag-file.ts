import type { ContainerName, containers } from '../../../contract/formats.ts';
import { tagFlac } from '../flac/tag-flac.ts';
import { tagM4a } from '../isobmff/tag-m4a.ts';
import { tagMp3 } from '../mp3/tag-mp3.ts';
import { tagOgg } from '../ogg/tag-ogg.ts';
import { tagWav } from '../wav/tag-wav.ts';
import type { FileTags } from './file-tags.ts';

type TagFile = (path: string, tags: FileTags, onCopied: () => void) => Promise<void>;

type Tagged = { [N in ContainerName]: (typeof containers)[N]['tags'] extends 'all' ? N : never }[ContainerName];

/** Writers of tags by container. They accept files written by ffmpeg or by a join of segments. */
const writers: Partial<Record<ContainerName, TagFile>> = {
  mp3: tagMp3,
  m4a: tagM4a,
  m4b: tagM4a,
  mp4: tagM4a,
  mov: tagM4a,
  ogg: tagOgg,
  flac: tagFlac,
  wav: tagWav,
} satisfies Record<Tagged, TagFile>;

/** Writes tags into a finished file. Its media data stays bit-identical. */
export async function tagFile(
  container: ContainerName,
  path: string,
  tags: FileTags,
  onCopied: () => void,
): Promise<void> {
  await writers[container]?.(path, tags, onCopied);
}
