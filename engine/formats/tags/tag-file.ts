import type { ContainerName } from '../../../contract/formats.ts';
import { tagFlac } from '../flac/tag-flac.ts';
import { tagM4a } from '../isobmff/tag-m4a.ts';
import { tagMp3 } from '../mp3/tag-mp3.ts';
import { tagOgg } from '../ogg/tag-ogg.ts';
import { tagWav } from '../wav/tag-wav.ts';
import type { FileTags } from './file-tags.ts';

type TagFile = (path: string, tags: FileTags, onCopied: () => void) => Promise<void>;

/** By container: how its files, as ffmpeg or a join of segments has written them, are given tags. */
const writers: Partial<Record<ContainerName, TagFile>> = {
  mp3: tagMp3,
  m4a: tagM4a,
  m4b: tagM4a,
  mp4: tagM4a,
  mov: tagM4a,
  ogg: tagOgg,
  flac: tagFlac,
  wav: tagWav,
};

/** The same as the table of containers says. */
export function canHoldTags(container: ContainerName): boolean {
  return writers[container] !== undefined;
}

/** Writes tags into a finished file. What it plays stays what it is to the last bit. */
export async function tagFile(
  container: ContainerName,
  path: string,
  tags: FileTags,
  onCopied: () => void,
): Promise<void> {
  await writers[container]?.(path, tags, onCopied);
}
