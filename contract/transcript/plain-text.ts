import { endsSentence } from './break-cost.ts';
import type { CueWord } from './cues.ts';

/** A new paragraph begins after a longer pause. */
const paragraphPauseSeconds = 2;
/** A longer paragraph ends with its sentence. */
const longParagraph = 600;

/** Plain text in paragraphs, which end with a sentence or a speaker (pure). A new speaker is named. */
export function toPlainText(words: readonly CueWord[]): string {
  const paragraphs: string[] = [];
  let paragraph = '';
  for (const [index, { text, end, speaker }] of words.entries()) {
    if (speaker !== undefined && speaker !== words[index - 1]?.speaker) paragraph += `${speaker}: `;
    paragraph += text;
    const next = words[index + 1];
    const isDone =
      next === undefined ||
      next.speaker !== speaker ||
      (endsSentence(text.trim()) && (next.start - end >= paragraphPauseSeconds || paragraph.length >= longParagraph));
    if (!isDone) continue;
    paragraphs.push(paragraph.trim());
    paragraph = '';
  }
  return paragraphs.map((each) => `${each}\n`).join('\n');
}
