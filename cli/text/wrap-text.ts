import { stripVTControlCharacters } from 'node:util';

/** Characters of a line on the terminal behind a stream; undefined for a file or a pipe. */
export function widthOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY && columns > 0 ? columns : undefined;
}

/** Characters that a terminal shows: colours take no room. */
const widthIn = (text: string): number => stripVTControlCharacters(text).length;

/** Wraps a line of facts or a sentence at `width` characters: between facts if possible, else between words. */
export function wrapLine(text: string, width: number): string[] {
  return wrapBetween(' · ', text, width).flatMap((facts) => wrapBetween(' ', facts, width));
}

/** Wraps the long lines of a text. The rest of a line is indented like its start. */
export function wrapText(text: string, width = Infinity): string {
  return text
    .split('\n')
    .map((line) => {
      if (widthIn(line) <= width) return line;
      const indent = /^ */.exec(line)?.[0] ?? '';
      const rest = wrapLine(line.slice(indent.length), width - indent.length);
      return rest.map((part) => indent + part).join('\n');
    })
    .join('\n');
}

/** A part that is longer than `width` stays whole. */
function wrapBetween(separator: string, text: string, width: number): string[] {
  if (widthIn(text) <= width) return [text];
  const lines: string[] = [];
  for (const part of text.split(separator)) {
    const last = lines.at(-1);
    const longer = last === undefined ? part : last + separator + part;
    if (last === undefined || widthIn(longer) > width) lines.push(part);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
