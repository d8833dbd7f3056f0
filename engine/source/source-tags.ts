import { maxChapters, reservedMetadataName } from '../../contract/http/tags.ts';
import { fileTags } from '../ffmpeg/file-tags.ts';
import type { Probed } from '../ffmpeg/probed.ts';
import { timelineStart } from '../ffmpeg/lead.ts';
import { tagKey } from './tag-key.ts';
import { cleanLine, cleanValue } from './clean-text.ts';
import type { VorbisRemarks } from './vorbis-remarks.ts';

/** Tags of a source, bounded and clean. */
export interface SourceTags {
  metadata: ReadonlyMap<string, string>;
  chapters: readonly PlacedChapter[];
  /** Seconds on the file's clock at which the clock of the chapters starts. */
  beginsAt: number;
  /** The cover's stream, or a picture in a Vorbis comment that ffmpeg does not recognise. */
  picture?: { kind: 'stream'; index: number } | { kind: 'block'; base64: string };
}

/** More tags than any ordinary file has. Further ones are dropped. */
const maxEntries = 200;

/** Names in specific formats, as ffprobe prints them in lower case, of tags with a generic name. */
const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tdes: 'description',
    isbj: 'description',
    imus: 'composer',
    albumartist: 'album_artist',
    tracknumber: 'track',
    discnumber: 'disc',
    year: 'date',
    tyer: 'date',
    'encoded-by': 'encoded_by',
  }),
);

/**
 * Facts about the file's production and storage, such as where its sound starts and ends, that do not apply to an
 * output.
 */
const technicalName =
  /^(?:creation_time|duration(?:-.*)?|handler_name|vendor_id|timecode|coding_history|umid|time_reference|origination_.*|originator_reference|id3v2_priv\..*|_statistics.*|bps.*|number_of_.*|xmp|private|tlen|tsse|tenc|comment-xxx|gapless_playback|media_type|cuesheet|log)$/i;

/** Tags by which a phone states where and when it recorded the file. An output must not tell them to its audience. */
const recordedName =
  /^(?:location(?:-.*)?|com\.apple\.quicktime\.(?:location\..*|creationdate)|com\.(?:samsung\.)?android\..*)$/i;

const isLeftOut = (name: string): boolean =>
  [reservedMetadataName, technicalName, recordedName].some((names) => names.test(name));

/** Formats with tags of ID3v2, where TEXT is a frame. Elsewhere it is a field with a name of the user's. */
const frameFormats = /^(?:aac|aiff|mp3|wav)$/;

function nameOf(name: string, formatName: string): string {
  const lower = name.toLowerCase();
  // Lyrics carry their language: `lyrics-eng`.
  if (/^lyrics(?:-[a-z]{3})?$/.test(lower)) return 'lyrics';
  if (name === 'TEXT' && frameFormats.test(formatName)) return 'lyricist';
  return tagKey(otherNames.get(lower) ?? name);
}

/** True if a text replaces the one that is known. A longer date has more than the year. */
function isBetter(name: string, generic: string, text: string, known: string | undefined): boolean {
  if (known === undefined) return true;
  return generic === 'date' ? text.length > known.length : name.toLowerCase() === generic;
}

const nameCharacters = /^[^\p{Control}=]{1,64}$/u;

/** Tags and chapters from ffprobe that outputs may keep. */
export function readSourceTags(probed: Probed, remarks?: VorbisRemarks): SourceTags {
  const given = fileTags(probed);
  const metadata = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    if (metadata.size >= maxEntries) break;
    const generic = nameOf(name, probed.format.format_name);
    if (!nameCharacters.test(generic) || isLeftOut(generic)) continue;
    const text = cleanValue(generic, value);
    if (text !== '' && isBetter(name, generic, text, metadata.get(generic))) metadata.set(generic, text);
  }
  for (const [name, value] of Object.entries(remarks ?? {})) {
    const text = cleanValue(name, value);
    if (text === '') metadata.delete(name);
    else metadata.set(name, text);
  }
  const beginsAt = timelineStart(probed);
  const chapters = listedChapters(probed).map(({ start_time, tags }, index) => ({
    startSeconds: start_time - beginsAt,
    title: cleanLine(tags['title'] ?? '') || `Chapter ${index + 1}`,
  }));
  const picture = findPicture(probed, given);
  return { metadata, chapters, beginsAt, ...(picture !== undefined && { picture }) };
}

/** Drops the filler before the first chapter of an MP4 (`formats/isobmff/chapter-track.ts`). */
function listedChapters({ format, chapters }: Probed): Probed['chapters'] {
  const [first] = chapters;
  const isFiller = format.format_name.startsWith('mov,') && first?.start_time === 0 && !first.tags['title'];
  return chapters.slice(isFiller && chapters.length > 1 ? 1 : 0).slice(0, maxChapters);
}

function findPicture(probed: Probed, tags: Record<string, string>): SourceTags['picture'] {
  const pictures = probed.streams.filter(({ disposition }) => disposition.attached_pic === 1);
  const front =
    pictures.find((stream) => stream.tags['comment'] === 'Cover (front)') ??
    pictures.find(({ disposition }) => disposition.timed_thumbnails === 0) ??
    pictures[0];
  if (front !== undefined) return { kind: 'stream', index: front.index };
  const block = Object.entries(tags).find(([name]) => /^metadata_block_picture$/i.test(name));
  return block === undefined ? undefined : { kind: 'block', base64: block[1] };
}

/** A chapter in source time. It ends where the next one starts. */
export interface PlacedChapter {
  startSeconds: number;
  title: string;
  url?: string | undefined;
}
