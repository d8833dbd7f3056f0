import { figures } from '../figures.ts';
import { utf8Within, type TaggedChapter } from '../tags/file-tags.ts';
import { buildBox } from './box.ts';
import { buildChunkOffsets, type OffsetType } from './chunk-offsets.ts';

/** Chapter times are in milliseconds. */
const timescale = 1000;

/** The size of a text has 16 bits, and players show one line. */
const maxTitleBytes = 1024;

/** QuickTime's text modifier that marks the preceding text as UTF-8. */
const utf8Modifier = Buffer.from('0000000c656e636400000100', 'hex');

/** Identity matrix (ISO/IEC 14496-12, 6.2.2). */
const identityMatrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/** Colours, fonts and rectangles of a text that is never shown, as in libavformat's movenc.c. */
const textDescription = Buffer.from(
  '00000000000000010000000100000000000000000000000000000000000000010000000000000000000d667461620001000100',
  'hex',
);
const generalMediaInformation = Buffer.from('00000000004080008000800000000000', 'hex');

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  return buildBox(type, Buffer.concat(parts));
}

/**
 * Fills the time before the first chapter with an untitled chapter. Old players and mp4v2 add up sample durations and
 * ignore empty edits, so all chapters would otherwise start too early.
 */
export function fromBeginning(chapters: readonly TaggedChapter[]): readonly TaggedChapter[] {
  const startMs = chapters[0]?.startMs ?? 0;
  return startMs === 0 ? chapters : [{ startMs: 0, endMs: startMs, title: '', url: undefined }, ...chapters];
}

/** Samples of the track: one title per chapter. */
export function buildChapterSamples(chapters: readonly TaggedChapter[]): Buffer[] {
  return chapters.map(({ title }) => {
    const text = utf8Within(title, maxTitleBytes);
    const size = Buffer.alloc(2);
    size.writeUInt16BE(text.length);
    return Buffer.concat([size, text, utf8Modifier]);
  });
}

export interface ChapterTrackPlace {
  trackId: number;
  /** Units per second of the movie. `movieDuration` is in these units. */
  movieTimescale: number;
  movieDuration: number;
  /** Offset in the file of the samples, which are contiguous. */
  samplesAt: number;
  offsetType: OffsetType;
}

/** QuickTime's chapter track (QuickTime File Format, "Chapter Lists"), which is disabled for playback. */
export function buildChapterTrack(
  chapters: readonly TaggedChapter[],
  { trackId, movieTimescale, movieDuration, samplesAt, offsetType }: ChapterTrackPlace,
): Buffer {
  const durations = chapters.map((chapter) => chapter.endMs - chapter.startMs);
  const duration = durations.reduce((sum, one) => sum + one, 0);
  const inMovieTime = (milliseconds: number): number => Math.round((milliseconds * movieTimescale) / timescale);
  const rate = 0x10000;
  const sizes = buildChapterSamples(chapters).map(({ length }) => length);
  const offsets = buildChunkOffsets([samplesAt], offsetType);
  const isInMovie = 2;
  const undetermined = 0x55c40000;
  const sampleTable = box(
    'stbl',
    box('stsd', figures([0, 1]), box('text', textDescription)),
    box('stts', figures([0, durations.length, ...durations.flatMap((one) => [1, one])])),
    box('stsc', figures([0, 1, 1, chapters.length, 1])),
    box('stsz', figures([0, 0, sizes.length, ...sizes])),
    box(offsets.type, offsets.body),
  );
  return box(
    'trak',
    box('tkhd', figures([isInMovie, 0, 0, trackId, 0, movieDuration, 0, 0, 0, 0, ...identityMatrix, 0, 0])),
    box('edts', box('elst', figures([0, 1, inMovieTime(duration), 0, rate]))),
    box(
      'mdia',
      box('mdhd', figures([0, 0, 0, timescale, duration, undetermined])),
      box(
        'hdlr',
        figures([0, 0]),
        Buffer.from('text', 'latin1'),
        figures([0, 0, 0]),
        Buffer.from('Chapters\0', 'latin1'),
      ),
      box(
        'minf',
        box('gmhd', box('gmin', generalMediaInformation), box('text', textHeader())),
        box('dinf', box('dref', figures([0, 1]), box('url ', figures([1])))),
        sampleTable,
      ),
    ),
  );
}

/** Matrix of a text's media header. Its first numbers have 16 integer bits. */
function textHeader(): Buffer {
  return Buffer.from('000100000000000000000000000000000001000000000000000000000000000040000000', 'hex');
}
