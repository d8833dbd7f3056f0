import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';
import type { NamedSource } from './named-source.ts';

/** Maps each output path to its source, for commands whose sources and outputs share a folder. */
export class OutputOwners {
  readonly #owners = new Map<string, NamedSource>();

  constructor(outputs: readonly { source: NamedSource; places: readonly string[] }[]) {
    for (const { source, places } of outputs) for (const place of places) this.#owners.set(realPlace(place), source);
  }

  /** True if the file is the output of another source, such as talk.mp3 of talk.wav from an earlier run. */
  isOutputOfAnother(source: NamedSource): boolean {
    const owner = this.#ownerOf(source);
    return owner !== undefined && owner !== source;
  }

  /** Throws if an output would replace this source. */
  assertNotReplaced(source: NamedSource): void {
    const owner = this.#ownerOf(source);
    if (owner === undefined || source.kind !== 'file') return;
    throw new CliError(
      `${source.path} is a source and would be replaced by the output of ${owner.kind === 'file' ? owner.path : owner.name}. Use --out FOLDER to write elsewhere, or list only the sources that you want.`,
    );
  }

  #ownerOf(source: NamedSource): NamedSource | undefined {
    return source.kind === 'file' ? this.#owners.get(realPlace(source.path)) : undefined;
  }
}

/** Resolves links in the folder, but not in the file name: a rename replaces a link, not its target. */
function realPlace(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
