import { maxLongTextCharacters, maxShortTextCharacters, shortTextNames } from '../../contract/http/tags.ts';

/** C0, DEL and C1: terminals and parsers act on these characters. */
const controls = /\p{Control}+/gu;
const controlsButLines = /(?:(?!\n)\p{Control})+/gu;

function clean(text: string, pattern: RegExp, maxCharacters: number): string {
  // A lone surrogate has no encoding in UTF-8.
  return text.slice(0, maxCharacters).toWellFormed().replaceAll('\r\n', '\n').replaceAll(pattern, ' ').trim();
}

/** Returns one line of printable text of bounded length. */
export function cleanLine(text: string): string {
  return clean(text, controls, maxShortTextCharacters);
}

/** Cleans a metadata value. Only long texts, such as descriptions, keep their line breaks. */
export function cleanValue(name: string, text: string): string {
  return shortTextNames.has(name) ? cleanLine(text) : clean(text, controlsButLines, maxLongTextCharacters);
}
