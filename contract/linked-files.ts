import type { InputFile } from './places.ts';
import { isRecord } from './unknown-values.ts';

/** Fields of an output, or of a preset, that may link to files. */
interface LinkingOutput {
  chapters?: unknown;
  cover?: unknown;
  watermark?: unknown;
  subtitles?: unknown;
  encryption?: unknown;
}

/** Files that an output reads in addition to the source; `of` names the output. */
export function linkedFiles(
  { chapters, cover, watermark, subtitles, encryption }: LinkingOutput,
  of: string,
): InputFile[] {
  const { add, burn } = isRecord(subtitles) ? subtitles : {};
  const added = Array.isArray(add) ? add : [];
  const links: [string, unknown][] = [
    ...Object.entries({ chapters, cover, watermark, 'subtitles.burn': burn }),
    ...added.map((file, index): [string, unknown] => [`subtitles.add.${index}`, file]),
  ];
  const urls: [string, unknown][] = [
    ...links.map(([field, link]): [string, unknown] => [field, isRecord(link) ? link['url'] : undefined]),
    ['encryption.keyUrl', isRecord(encryption) ? encryption['keyUrl'] : undefined],
  ];
  return urls.flatMap(([field, url]) => (typeof url === 'string' ? [{ field: `${of}.${field}`, url }] : []));
}
