import { basename, dirname } from 'node:path';
import type { Destination } from './destination.ts';
import type { Source } from './source.ts';

/** By the codec before the underscore. `.opus` is what RFC 7845 asks for, and keeps an encoded music.ogg from being called as its source. */
const extensionByCodec: Record<string, string> = { mp3: 'mp3', aac: 'm4a', opus: 'opus', flac: 'flac', wav: 'wav' };

export function fileExtension(format: string): string {
  const codec = format.replace(/_.*$/, '');
  return extensionByCodec[codec] ?? codec;
}

/** The names under which `npm run encode` writes; never the source's own, which a run must not overwrite. */
export function outputNames(source: Source, formats: readonly string[], destination: Destination): string[] {
  const isBeside = destination.kind === 'folder' && source.kind === 'file' && dirname(source.path) === destination.path;
  return namesFor(source.name, formats, isBeside ? basename(source.path) : undefined);
}

/**
 * One file name for each format: `talk.mp3`, and `talk_mp3_128.mp3` where two formats would share a name or the plain one is the source's
 * own. The same format twice (with other channels, say) is numbered.
 */
export function namesFor(sourceName: string, formats: readonly string[], taken?: string): string[] {
  const plain = formats.map((format) => `${sourceName}.${fileExtension(format)}`);
  const names: string[] = [];
  for (const [index, format] of formats.entries()) {
    const name = plain[index] ?? '';
    const isShared = plain.filter((other) => other === name).length > 1 || name === taken;
    const wanted = isShared ? `${sourceName}_${format}.${fileExtension(format)}` : name;
    names.push(numbered(wanted, names));
  }
  return names;
}

function numbered(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const [, stem = name, ending = ''] = /^(.*)(\.[^.]*)$/s.exec(name) ?? [];
  for (let number = 2; ; number += 1) {
    const candidate = `${stem}_${number}${ending}`;
    if (!taken.includes(candidate)) return candidate;
  }
}
