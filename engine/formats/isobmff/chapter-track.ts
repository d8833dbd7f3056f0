import { utf8Within, type TaggedChapter } from '../tags/file-tags.ts';
import { buildBox } from './box.ts';

/** Chapters are in milliseconds. */
const timescale = 1000;

/** A text's size has 16 bits; players show one line. */
const maxTitleBytes = 1024;

/** QuickTime's text modifier that says that the text before it is UTF-8. */
const utf8Modifier = Buffer.from('0000000c656e636400000100', 'hex');

/** A matrix that moves and turns nothing (ISO/IEC 14496-12, 6.2.2). */
const identityMatrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/** Colours, fonts and rectangles of a text that nobody shows: as libavformat's movenc.c has them. */
const textDescription = Buffer.from(
  '00000000000000010000000100000000000000000000000000000000000000010000000000000000000d667461620001000100',
  'hex',
);
const generalMediaInformation = Buffer.from('00000000004080008000800000000000', 'hex');

function figures(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  return buildBox(type, Buffer.concat(parts));
}

/**
 * The chapters of a track, which has no time without a sample: what comes before the first one is a chapter without a title. Players
 * of old and mp4v2 add up the lengths of samples and know no empty edit, with which all chapters would come too early there.
 */
export function fromBeginning(chapters: readonly TaggedChapter[]): readonly TaggedChapter[] {
  const startMs = chapters[0]?.startMs ?? 0;
  return startMs === 0 ? chapters : [{ startMs: 0, endMs: startMs, title: '', url: undefined }, ...chapters];
}

/** The samples of the track: each chapter's title. */
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
  /** of the movie: units a second, and its length in them */
  movieTimescale: number;
  movieDuration: number;
  /** where in the file the samples lie, one after the other */
  samplesAt: number;
}

/** QuickTime's track of chapters (QuickTime File Format, "Chapter Lists"), which is switched off and lies one title after the other. */
export function buildChapterTrack(
  chapters: readonly TaggedChapter[],
  { trackId, movieTimescale, movieDuration, samplesAt }: ChapterTrackPlace,
): Buffer {
  const durations = chapters.map((chapter) => chapter.endMs - chapter.startMs);
  const duration = durations.reduce((sum, one) => sum + one, 0);
  const inMovieTime = (milliseconds: number): number => Math.round((milliseconds * movieTimescale) / timescale);
  const rate = 0x10000;
  const sizes = buildChapterSamples(chapters).map(({ length }) => length);
  const isInMovie = 2;
  const undetermined = 0x55c40000;
  const sampleTable = box(
    'stbl',
    box('stsd', figures(0, 1), box('text', textDescription)),
    box('stts', figures(0, durations.length, ...durations.flatMap((one) => [1, one]))),
    box('stsc', figures(0, 1, 1, chapters.length, 1)),
    box('stsz', figures(0, 0, sizes.length, ...sizes)),
    box('stco', figures(0, 1, samplesAt)),
  );
  return box(
    'trak',
    box('tkhd', figures(isInMovie, 0, 0, trackId, 0, movieDuration, 0, 0, 0, 0, ...identityMatrix, 0, 0)),
    box('edts', box('elst', figures(0, 1, inMovieTime(duration), 0, rate))),
    box(
      'mdia',
      box('mdhd', figures(0, 0, 0, timescale, duration, undetermined)),
      box('hdlr', figures(0, 0), Buffer.from('text', 'latin1'), figures(0, 0, 0), Buffer.from('Chapters\0', 'latin1')),
      box(
        'minf',
        box('gmhd', box('gmin', generalMediaInformation), box('text', textHeader())),
        box('dinf', box('dref', figures(0, 1), box('url ', figures(1)))),
        sampleTable,
      ),
    ),
  );
}

/** The matrix of a text's media header, whose first figures have 16 bits before the point. */
function textHeader(): Buffer {
  return Buffer.from('000100000000000000000000000000000001000000000000000000000000000040000000', 'hex');
}
