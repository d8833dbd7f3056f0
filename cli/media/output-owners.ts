import { dirname } from 'node:path';
import { CliError } from '../cli-error.ts';
import { isFolderName } from './destination.ts';
import type { NamedSource } from './named-source.ts';
import { fileKeys, realFolder } from './same-file.ts';

/** Maps each output path to its source, for commands whose sources and outputs share a folder. */
export class OutputOwners {
  readonly #owners = new Map<string, NamedSource>();
  /** Owners of folders, whose files the runs name. */
  readonly #folders = new Map<string, NamedSource>();

  constructor(outputs: readonly { source: NamedSource; places: readonly string[] }[]) {
    for (const { source, places } of outputs) {
      for (const key of places.flatMap(fileKeys)) this.#owners.set(key, source);
      for (const folder of places.filter(isFolderName)) this.#folders.set(realFolder(folder), source);
    }
  }

  /** True if the file is the output of another source, such as talk.mp3 of talk.wav from an earlier run. */
  isOutputOfAnother(source: NamedSource): boolean {
    const owner = source.kind === 'file' ? this.#ownerOf(source.path) : undefined;
    return owner !== undefined && owner !== source;
  }

  /** Throws if an output would replace this file, which a run reads. */
  assertNotReplaced(path: string): void {
    const owner = this.#ownerOf(path);
    if (owner === undefined) return;
    throw new CliError(
      `${path} is a source and would be replaced by the output of ${owner.kind === 'file' ? owner.path : owner.name}. Use --out FOLDER to write elsewhere, or list only the sources that you want.`,
    );
  }

  #ownerOf(path: string): NamedSource | undefined {
    const owners = fileKeys(path).map((key) => this.#owners.get(key));
    for (let folder = realFolder(dirname(path)); folder !== dirname(folder); folder = dirname(folder)) {
      owners.push(this.#folders.get(folder));
    }
    return owners.find((owner) => owner !== undefined);
  }
}
