/** Maps the names of a language in all standards to one: `deu`, `ger` and `de` are equal. */
export function canonicalLanguage(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? language;
  } catch {
    return language;
  }
}
