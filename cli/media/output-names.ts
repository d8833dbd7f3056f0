import { basename, dirname } from 'node:path';
import type { Destination } from './destination.ts';
import { CliError } from '../cli-error.ts';
import type { NamedSource } from './named-source.ts';

/** What the name of an output's file is made of. */
export interface NamedOutput {
  /** One word for it, such as `mp3_128`. */
  label: string;
  /** Without the dot. Undefined: it has several files, in a folder of their own. */
  extension: string | undefined;
}

/** Whether the name is that of a folder, and the run names the files in it. */
export function isFolderName(name: string): boolean {
  return name.endsWith('/');
}

/** The names under which `npm run encode` writes; never the source's own, which a run must not overwrite. */
export function nameOutputs(source: NamedSource, outputs: readonly NamedOutput[], destination: Destination): string[] {
  const isBeside = destination.kind === 'folder' && source.kind === 'file' && dirname(source.path) === destination.path;
  return nameFiles(source.name, outputs, isBeside ? basename(source.path) : undefined);
}

/**
 * One file name for each output: `talk.mp3`, and `talk_mp3_128.mp3` where two would share a name or the plain one is the source's
 * own (an Opus file of music.ogg is `music_opus_24.ogg`). The same label twice (with other channels, say) is numbered. An output of
 * several files has a folder, such as `talk_thumbnails/`.
 */
export function nameFiles(sourceName: string, outputs: readonly NamedOutput[], taken?: string): string[] {
  const plain = outputs.map(({ label, extension }) =>
    extension === undefined ? `${sourceName}_${label}/` : `${sourceName}.${extension}`,
  );
  const names: string[] = [];
  for (const [index, { label, extension }] of outputs.entries()) {
    const name = plain[index] ?? '';
    const isShared = extension !== undefined && (plain.filter((other) => other === name).length > 1 || name === taken);
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
