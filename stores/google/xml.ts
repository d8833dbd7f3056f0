// The short pages of Google's XML API, whose elements have no attributes.

/** The contents of all elements of this name. */
export function elementsOf(page: string, name: string): string[] {
  return [...page.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, content = '']) => content);
}

/** The text of the first element of this name. */
export function textOf(page: string, name: string): string | undefined {
  return elementsOf(page, name)[0]?.replaceAll(
    /&(?:#(x?)([0-9a-f]+)|(lt|gt|amp|quot|apos));/gi,
    (_, hex, code, named) =>
      named === undefined
        ? String.fromCodePoint(Number.parseInt(code, hex === '' ? 10 : 16))
        : (namedCharacters[String(named).toLowerCase()] ?? ''),
  );
}

const namedCharacters: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
