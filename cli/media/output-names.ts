import { basename, dirname } from 'node:path';
import { formatExtension } from '../../contract/formats.ts';
import type { Destination } from './destination.ts';
import { CliError } from '../cli-error.ts';
import type { NamedSource } from './named-source.ts';

/** The names under which `npm run encode` writes; never the source's own, which a run must not overwrite. */
export function nameOutputs(source: NamedSource, formats: readonly string[], destination: Destination): string[] {
  const isBeside = destination.kind === 'folder' && source.kind === 'file' && dirname(source.path) === destination.path;
  return nameFiles(source.name, formats, isBeside ? basename(source.path) : undefined);
}

/**
 * One file name for each format: `talk.mp3`, and `talk_mp3_128.mp3` where two formats would share a name or the plain one is the source's
 * own (an Opus file of music.ogg is `music_opus_24.ogg`). The same format twice (with other channels, say) is numbered.
 */
export function nameFiles(sourceName: string, formats: readonly string[], taken?: string): string[] {
  const plain = formats.map((format) => `${sourceName}.${formatExtension(format)}`);
  const names: string[] = [];
  for (const [index, format] of formats.entries()) {
    const name = plain[index] ?? '';
    const isShared = plain.filter((other) => other === name).length > 1 || name === taken;
    const wanted = isShared ? `${sourceName}_${format}.${formatExtension(format)}` : name;
    names.push(numberName(wanted, names));
  }
  return names;
}

function numberName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const [, stem = name, ending = ''] = /^(.*)(\.[^.]*)$/s.exec(name) ?? [];
  for (let number = 2; ; number += 1) {
    const candidate = `${stem}_${number}${ending}`;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** Two sources of one name, such as talk.wav and talk.flac, would overwrite each other's outputs. */
export function assertNoSharedPlaces(outputs: readonly { source: NamedSource; places: readonly string[] }[]): void {
  const owners = new Map<string, NamedSource>();
  for (const { source, places } of outputs) {
    for (const place of places) {
      const other = owners.get(place);
      if (other !== undefined) {
        const [one, two] = [other, source].map((named) => (named.kind === 'file' ? named.path : named.url));
        throw new CliError(
          `${one} and ${two} would both be written to ${place}. Name them in two commands with an --out FOLDER each.`,
        );
      }
      owners.set(place, source);
    }
  }
}
