import { maxLongTextCharacters, maxShortTextCharacters, shortTextNames } from '../../../contract/http/tags.ts';

/** C0, DEL and C1: terminals and parsers act on them. */
const controls = /\p{Control}+/gu;
const controlsButLines = /(?:(?!\n)\p{Control})+/gu;

function clean(text: string, pattern: RegExp, maxCharacters: number): string {
  // A lone half of a character has no bytes in UTF-8.
  return text.slice(0, maxCharacters).toWellFormed().replaceAll('\r\n', '\n').replaceAll(pattern, ' ').trim();
}

/** A text of one line: printable, and of a bounded length. */
export function cleanLine(text: string): string {
  return clean(text, controls, maxShortTextCharacters);
}

/** The value of some metadata, likewise; what is no title and the like may have several lines. */
export function cleanValue(name: string, text: string): string {
  return shortTextNames.has(name) ? cleanLine(text) : clean(text, controlsButLines, maxLongTextCharacters);
}
