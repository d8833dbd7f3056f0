import { canonicalLanguage } from '../../../contract/canonical-language.ts';

/** The canonical spelling of a language; undefined for codes that mean "unknown" (pure). */
export function knownLanguage(language: string | undefined): string | undefined {
  if (language === undefined || !/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(language)) return undefined;
  const canonical = canonicalLanguage(language);
  return /^(?:und|mis|mul|zxx)$/.test(canonical) ? undefined : canonical;
}

/** Removes characters that playlists cannot quote. */
const plainTitle = (title: string): string => title.replaceAll(/[^\p{L}\p{M}\p{N} ()._-]/gu, '').trim();

/** Name of the language in that language, or its code if it has no known name, such as `zh-yue` (pure). */
export function languageName(language: string | undefined): string | undefined {
  if (language === undefined) return undefined;
  try {
    return plainTitle(new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language);
  } catch {
    // The schema is wider than ECMA-402, which knows no extended languages.
    return language;
  }
}

/** The file's title of a track as a playlist can state it (pure). */
export function shownTitle(title: string | undefined): string | undefined {
  return plainTitle(title ?? '').slice(0, 60) || undefined;
}

/** Numbers repeated texts of a group, except for the first (pure). */
export function numberAlike(texts: readonly string[], joint: string, groups: readonly unknown[] = []): string[] {
  return texts.map((text, index) => {
    const isAlike = (other: string, place: number): boolean => other === text && groups[place] === groups[index];
    const before = texts.slice(0, index).filter(isAlike).length;
    return before === 0 ? text : `${text}${joint}${before + 1}`;
  });
}
