const separator = ' · ';

/** A text of parts as lines of at most so many characters, broken between parts alone (pure). */
export function wrapParts(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of text.split(separator)) {
    const last = lines.at(-1);
    const longer = last === undefined ? part : last + separator + part;
    if (last === undefined || longer.length > width) lines.push(part);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
