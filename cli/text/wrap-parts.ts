const separator = ' · ';

/** Wraps a text at `width` characters, only between its parts. */
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
