import type { ContainerName } from '../../contract/formats.ts';

/** ffmpeg 5.1's codes for languages in QuickTime's list, if they differ. It writes no other languages. */
const quickTimeLanguages: Readonly<Record<string, string>> = {
  ...{ cze: 'ces', deu: 'ger', ell: 'gre', fre: 'fra', isl: 'ice', nld: 'dut' },
  ...{ rum: 'ron', swe: 'sve', zho: 'chi' },
};

/** ISO 639-2 code as the container stores it. */
export function writtenLanguage(container: ContainerName, language: string): string {
  return container === 'mov' ? (quickTimeLanguages[language] ?? language) : language;
}
