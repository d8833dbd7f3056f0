import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';
import type { NamedSource } from './named-source.ts';

/** Which source of a command each place belongs to that an output will have, where sources and outputs lie in one folder. */
export class OutputOwners {
  readonly #owners = new Map<string, NamedSource>();

  constructor(outputs: readonly { source: NamedSource; places: readonly string[] }[]) {
    for (const { source, places } of outputs) for (const place of places) this.#owners.set(realPlace(place), source);
  }

  /** Whether the file is what another source is encoded to, such as the talk.mp3 of talk.wav from the last time. */
  isOutputOfAnother(source: NamedSource): boolean {
    const owner = this.#ownerOf(source);
    return owner !== undefined && owner !== source;
  }

  /** A recording must not be lost to an output. */
  assertNotReplaced(source: NamedSource): void {
    const owner = this.#ownerOf(source);
    if (owner === undefined || source.kind !== 'file') return;
    throw new CliError(
      `${source.path} is a source, and would be replaced with the output of ${owner.kind === 'file' ? owner.path : owner.name}. Use --out FOLDER to write elsewhere, or name only the sources that you mean.`,
    );
  }

  #ownerOf(source: NamedSource): NamedSource | undefined {
    return source.kind === 'file' ? this.#owners.get(realPlace(source.path)) : undefined;
  }
}

/** One name for what may be reached by several paths. The last part stays: a rename replaces a link, and not what it leads to. */
function realPlace(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
