import { readFile, stat, writeFile } from 'node:fs/promises';
import type { SubtitleEncoding } from '../../contract/http/subtitles.ts';
import { MediaError } from '../media-error.ts';
import { textGuards } from '../ffmpeg/guards.ts';
import { cuesAlone } from '../formats/webvtt/cues-alone.ts';
import { hasShapes } from './cue-markup.ts';
import { maxTextBytes, readTexts, type TextRun, tooMuchText } from './read-texts.ts';
import type { SubtitleText } from '../source/subtitle-track.ts';

/** ffmpeg's demuxer name for a subtitle file, from its first lines. */
function demuxerOf(text: string): 'ass' | 'webvtt' | 'srt' | undefined {
  if (/^WEBVTT(?:[ \t\n]|$)/.test(text)) return 'webvtt';
  if (/^\s*\[script info\]/i.test(text)) return 'ass';
  // Some files start with a cue number, and some lack it.
  return /^\d+:\d{1,2}:\d{1,2}[,.]\d{1,3} *--> *\d/m.test(text) ? 'srt' : undefined;
}

function badFile(problem: string): MediaError {
  return new MediaError('invalid_request', `A file of subtitles cannot be used: ${problem}.`, {
    details: { field: 'subtitles' },
  });
}

/** Decodes a text file. Its first two bytes may mark it as UTF-16. */
export function decodeText(bytes: Buffer, encoding: SubtitleEncoding | undefined): string {
  const [first, second] = bytes;
  const marked =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding ?? marked, { fatal: true }).decode(bytes);
    return text.replaceAll(/\r\n?/g, '\n');
  } catch {
    const asked = encoding ?? (marked === 'utf-8' ? 'UTF-8' : 'UTF-16, as its first bytes say');
    throw badFile(
      `it is not encoded in ${asked}; save it as UTF-8, or name its encoding, such as "encoding": "windows-1252"`,
    );
  }
}

/** Reads an untrusted file: SubRip, WebVTT or ASS. Throws if it is none of these or cannot be read. */
export async function openSubtitleFile(
  path: string,
  encoding: SubtitleEncoding | undefined,
  run: TextRun,
): Promise<SubtitleText> {
  if ((await stat(path)).size > maxTextBytes) throw tooMuchText();
  const text = decodeText(await readFile(path), encoding);
  // UTF-16 that was decoded in another encoding has a NUL in every other character.
  if (text.includes('\0'))
    throw badFile('it has characters that text cannot have; it may be in another encoding, such as UTF-16');
  const demuxer = demuxerOf(text);
  if (demuxer === undefined) throw badFile('it is neither SubRip (.srt) nor WebVTT (.vtt) nor ASS (.ass)');
  const normalized = `${path}.txt`;
  await writeFile(normalized, demuxer === 'webvtt' ? cuesAlone(text) : text);
  try {
    const place = { index: 0, codec: demuxer, isStyled: demuxer === 'ass' };
    const guards = [...textGuards([demuxer]), '-f', demuxer];
    const read = (await readTexts(normalized, [place], run, guards)).get(0) ?? { cues: [] };
    const isDrawn = read.script?.events.some(({ text: event }) => hasShapes(event)) === true;
    if (read.cues.length === 0 && !isDrawn) throw badFile('it has no text with a duration');
    return read;
  } catch (error) {
    run.job.signal.throwIfAborted();
    if (!(error instanceof MediaError) || error.code !== 'undecodable_source') throw error;
    throw badFile('it is damaged');
  }
}
