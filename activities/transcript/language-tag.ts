/** BCP 47 tag of a language as a provider names it: `en`, or OpenAI's `english`. Undefined if the name is unknown. */
export function toLanguageTag(name: string): string | undefined {
  const lower = name.trim().toLowerCase();
  if (/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/.test(lower)) return lower;
  return tagByName().get(lower);
}

let names: Map<string, string> | undefined;

/** English names of all codes of ISO 639-1. */
function tagByName(): Map<string, string> {
  if (names !== undefined) return names;
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
  const display = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  names = new Map();
  for (const tag of letters.flatMap((one) => letters.map((other) => one + other))) {
    const found = display.of(tag)?.toLowerCase();
    // `mo` and other old codes have the name of the code that replaces them.
    if (found !== undefined && Intl.getCanonicalLocales(tag)[0] === tag) names.set(found, tag);
  }
  return names;
}
