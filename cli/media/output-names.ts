import { join } from 'node:path';
import type { Destination } from './destination.ts';
import { CliError } from '../cli-error.ts';
import type { NamedSource } from './named-source.ts';
import { isSameFile } from './same-file.ts';

/** Parts of an output's file name. */
export interface NamedOutput {
  /** Short name, such as `mp3_128`. */
  label: string;
  /** File extension without the dot. Undefined for an output of several files, which get a folder. */
  extension: string | undefined;
}

/** File names for the outputs of `npx holdfast encode`; never the source's own name. */
export function nameOutputs(source: NamedSource, outputs: readonly NamedOutput[], destination: Destination): string[] {
  return nameFiles(source.name, outputs, (name) => isOwnName(name, source, destination));
}

/** True if the name in the destination leads to the source, also by a link or in other case. */
function isOwnName(name: string, source: NamedSource, destination: Destination): boolean {
  if (destination.kind === 'store') return source.kind === 'url' && source.url === destination.prefix + name;
  return source.kind === 'file' && isSameFile(join(destination.path, name), source.path);
}

/**
 * One file name for each output: `talk.mp3`, or `talk_mp3_128.mp3` if two outputs share a name or the name is the source's own. A repeated
 * label is numbered. An output of several files has a folder, such as `talk_thumbnails/`.
 */
export function nameFiles(
  sourceName: string,
  outputs: readonly NamedOutput[],
  isTaken: (name: string) => boolean = () => false,
): string[] {
  const plain = outputs.map(({ label, extension }) =>
    extension === undefined ? `${sourceName}_${label}/` : `${sourceName}.${extension}`,
  );
  const names: string[] = [];
  for (const [index, { label, extension }] of outputs.entries()) {
    const name = plain[index] ?? '';
    const isShared = extension !== undefined && (plain.filter((other) => other === name).length > 1 || isTaken(name));
    const wanted = isShared ? `${sourceName}_${label}.${extension}` : name;
    names.push(numberName(wanted, names));
  }
  return names;
}

function numberName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const [, stem = name, ending = ''] = /^(.*)(\.[^.]*|\/)$/s.exec(name) ?? [];
  for (let number = 2; ; number += 1) {
    const candidate = `${stem}_${number}${ending}`;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** Throws if sources with the same name, such as talk.wav and talk.flac, would overwrite each other's outputs. */
export function assertNoSharedPlaces(outputs: readonly { source: NamedSource; places: readonly string[] }[]): void {
  const owners = new Map<string, NamedSource>();
  for (const { source, places } of outputs) {
    for (const place of places) {
      const other = owners.get(place);
      if (other !== undefined) {
        const [one, two] = [other, source].map((named) => (named.kind === 'file' ? named.path : named.url));
        throw new CliError(
          `${one} and ${two} would both be written to ${place}. Use two commands with different --out folders.`,
        );
      }
      owners.set(place, source);
    }
  }
}
