import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MediaError } from '../media-error.ts';
import { textGuards } from '../ffmpeg/guards.ts';
import { parseAss } from '../formats/ass/ass.ts';
import { parseSubRip } from '../formats/subrip/subrip.ts';
import type { Cue } from '../formats/webvtt/webvtt.ts';
import type { Work } from '../work.ts';
import { runWithinLimits } from '../ffmpeg/limited-run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { hasLetters, unescapeAss, withoutStyles } from './cue-markup.ts';
import type { SubtitleText, SubtitleTrack } from '../source/subtitle-track.ts';

/**
 * Bytes of one track. A three-hour film has 200 KB of text, and ten times as much if every word is positioned
 * separately.
 */
export const maxTextBytes = 8 * 1024 ** 2;

/** Limit for one track, more than one cue per word in three hours. */
const maxCues = 50_000;

interface TextLimits {
  cues: number;
  bytes: number;
}

const sourceLimits: TextLimits = { cues: maxCues, bytes: maxTextBytes };

/** Bytes of text in a track whose overlapping cues are merged: each text is repeated for every change around it. */
export const maxMergedBytes = 2 * maxTextBytes;

/** Limits of a finished file. Merging at most doubles the number of cues, and SubRip adds times and markup. */
export const finishedLimits: TextLimits = { cues: 2 * maxCues, bytes: 2 * maxMergedBytes };

export interface TextRun {
  limits: RunLimits;
  job: Pick<Work, 'folder' | 'signal'>;
}

/** Location of a track in a file, and whether its styles are read too. */
interface TextPlace {
  index: number;
  /** ffmpeg's name of the codec. */
  codec: string;
  isStyled: boolean;
}

interface TextFile {
  place: TextPlace;
  path: string;
  format: 'srt' | 'ass';
}

/**
 * Reads the text of these tracks of a file in one pass. `-copyts` keeps packet times on the clock of the pictures. Cues
 * without text or without duration are dropped.
 */
export async function readTexts(
  path: string,
  places: readonly TextPlace[],
  { limits, job }: TextRun,
  guards: readonly string[] = textGuards(),
  most = sourceLimits,
): Promise<Map<number, SubtitleText>> {
  if (places.length === 0) return new Map();
  const files = places.flatMap((place): TextFile[] => {
    const name = join(job.folder, `${basename(path)}-texts-${place.index}`);
    const plain: TextFile = { place, path: `${name}.srt`, format: 'srt' };
    return place.isStyled ? [plain, { place, path: `${name}.ass`, format: 'ass' }] : [plain];
  });
  const outputs = files.map(({ place: { index }, path: to, format }) => ({
    path: to,
    options: ['-map', `0:${index}`, '-c:s', format, '-f', format],
  }));
  try {
    const run = { input: path, inputOptions: [...guards, '-copyts'], outputs };
    // The process is ended if a track turns out to be larger.
    await runWithinLimits(run, { ...limits, maxOutputBytes: most.bytes }, job.signal);
    const texts = new Map<number, SubtitleText>();
    for (const { place, path: from, format } of files) {
      const written = await readFile(from, 'utf8');
      const text = texts.get(place.index) ?? { cues: [] };
      if (format === 'ass') text.script = parseAss(written);
      else
        text.cues = parseSubRip(written)
          .map((cue) => ({ ...cue, text: shownText(cue.text, place) }))
          .filter(isShown);
      if (Math.max(text.cues.length, text.script?.events.length ?? 0) > most.cues) throw tooMuchText();
      texts.set(place.index, text);
    }
    return texts;
  } catch (error) {
    job.signal.throwIfAborted();
    throw error instanceof MediaError && error.code === 'output_invalid' ? tooMuchText() : error;
  } finally {
    await Promise.all(files.map((file) => rm(file.path, { force: true })));
  }
}

/**
 * Removes what ffmpeg 5.1 leaves in SubRip: shapes and fonts of ASS, and its escapes, which ffmpeg's WebVTT decoder
 * also writes.
 */
function shownText(text: string, { codec }: TextPlace): string {
  if (codec === 'webvtt') return unescapeAss(text);
  return styledCodecs.has(codec) ? withoutStyles(unescapeAss(text)) : text;
}

const isShown = ({ text, startMs, endMs }: Cue): boolean => hasLetters(text) && endMs > startMs;

export function tooMuchText(): MediaError {
  return new MediaError(
    'unsupported_format',
    `Subtitles may have ${maxCues} texts and ${maxTextBytes / 1024 ** 2} MiB of them at most, and these have more.`,
  );
}

/** ffprobe's names. */
const styledCodecs: ReadonlySet<string> = new Set(['ass', 'ssa']);

/** Reads the text tracks among a source's tracks, and the styles of those tracks that have them. */
export async function readTextTracks(
  path: string,
  tracks: readonly SubtitleTrack[],
  run: TextRun,
): Promise<Map<SubtitleTrack, SubtitleText>> {
  const readable = tracks.filter(({ kind }) => kind === 'text');
  const places = readable.map(({ index, codec }) => ({ index, codec, isStyled: styledCodecs.has(codec) }));
  const texts = await readTexts(path, places, run);
  return new Map(readable.map((track) => [track, texts.get(track.index) ?? { cues: [] }]));
}
