import type { CaptionStyle } from '../captions.ts';
import { transcriptNames } from '../written-names.ts';
import { type CueWord, toCues } from './cues.ts';
import { toPodcastJson } from './podcast-json.ts';
import { toPlainText } from './plain-text.ts';
import { toSrt, toVtt } from './subtitles.ts';
import type { Transcript } from './transcript.ts';
import { toTtml } from './ttml.ts';
import { toVerboseJson } from './verbose-json.ts';

export interface TranscriptFile {
  kind: keyof typeof transcriptNames;
  name: string;
  text: string;
  contentType: string;
}

/** The transcript in all formats, and the number of its cues (pure). `words`: all words, each with the space that follows. */
export function transcriptFiles(
  transcript: Transcript,
  words: readonly CueWord[],
  style: CaptionStyle,
): { cues: number; files: TranscriptFile[] } {
  // A line of SubRip may begin with the name of its speaker.
  const lineLength = Math.max(Math.ceil(style.lineLength / 2), style.lineLength - longestPrefix(words));
  const cues = toCues(words, { ...style, lineLength });
  const file = (kind: TranscriptFile['kind'], text: string, contentType: string): TranscriptFile => {
    return { kind, name: transcriptNames[kind], text, contentType };
  };
  const files = [
    file('json', toJson(transcript), 'application/json'),
    file('verbose_json', toJson(toVerboseJson(transcript)), 'application/json'),
    file('podcast_json', toJson(toPodcastJson(transcript)), 'application/json'),
    file('vtt', toVtt(cues), 'text/vtt; charset=utf-8'),
    file('srt', toSrt(cues), 'application/x-subrip; charset=utf-8'),
    file('ttml', toTtml(cues, transcript.language), 'application/ttml+xml; charset=utf-8'),
    file('txt', toPlainText(words), 'text/plain; charset=utf-8'),
  ];
  return { cues: cues.length, files };
}

function longestPrefix(words: readonly CueWord[]): number {
  return words.reduce((most, { speaker = '' }) => (speaker === '' ? most : Math.max(most, `${speaker}: `.length)), 0);
}

function toJson(value: object): string {
  return JSON.stringify(value, undefined, 1);
}
