import { setImmediate } from 'node:timers/promises';
import { type InputFile, inputMatcher, replacesInput, type TargetPlace } from '../../contract/places.ts';
import { isFileUrl } from '../../contract/url-scheme.ts';
import { ServiceError } from '../errors.ts';
import { DiskPlaces } from './disk-places.ts';

/** Targets that are compared at a time; other requests are served in between. */
const batchSize = 100;

/** The files that a request reads. No target of the request may be in the place of one of them. */
export class KeptInputs {
  readonly #mediaRoot: string | undefined;
  readonly #inputs: InputFile[];
  #match: (target: { url: string }) => string | undefined;
  /** Field of each input on disk, by the keys of its entry and its file. */
  readonly #onDisk: ReadonlyMap<string, string>;

  private constructor(
    inputs: readonly InputFile[],
    onDisk: ReadonlyMap<string, string>,
    mediaRoot: string | undefined,
  ) {
    [this.#inputs, this.#onDisk, this.#mediaRoot] = [[...inputs], onDisk, mediaRoot];
    this.#match = inputMatcher(this.#inputs);
  }

  static async find(inputs: readonly InputFile[], mediaRoot: string | undefined): Promise<KeptInputs> {
    const places = new DiskPlaces(mediaRoot, 'source_unavailable');
    const onDisk = new Map<string, string>();
    for (const { field, url } of inputs.filter((input) => isFileUrl(input.url))) {
      for (const key of [await places.entryAt(url), await places.fileAt(url)]) {
        if (key !== undefined) onDisk.set(key, field);
      }
    }
    return new KeptInputs(inputs, onDisk, mediaRoot);
  }

  /** Keeps the object that the input at `from` redirects to, too. */
  addRedirect(from: string, url: string): void {
    const field = this.#match({ url: from });
    // Each range of a source is redirected again, to another signature.
    if (field === undefined || this.#match({ url }) !== undefined) return;
    this.#inputs.push({ field, url });
    this.#match = inputMatcher(this.#inputs);
  }

  /** Field of the input that an upload to the URL would replace. Ask again before each write: disks change. */
  async fieldAt(url: string, places = new DiskPlaces(this.#mediaRoot)): Promise<string | undefined> {
    const field = this.#match({ url });
    if (field !== undefined || this.#onDisk.size === 0 || !isFileUrl(url)) return field;
    const keys = [await places.entryAt(url), await places.fileAt(url)];
    return keys.map((key) => this.#onDisk.get(key ?? '')).find((found) => found !== undefined);
  }

  /** Throws if a target is in the place of an input or of another target. */
  async check(targets: Iterable<TargetPlace>): Promise<void> {
    const places = new DiskPlaces(this.#mediaRoot);
    const taken = new Set<string>();
    const check = async ({ path, url }: TargetPlace): Promise<void> => {
      const field = await this.fieldAt(url, places);
      if (field !== undefined) throw refused(path, replacesInput(field));
      const entry = await places.entryAt(url);
      if (entry === undefined) return;
      if (taken.has(entry)) throw refused(path, 'names the place of another target');
      taken.add(entry);
    };
    let checked = 0;
    for (const target of targets) {
      // One at a time: what many URLs leave at once would stay in the heap.
      await check(target);
      checked += 1;
      if (checked % batchSize === 0) await setImmediate();
    }
  }

  /** Entries of the URLs on disk, for a comparison of targets. */
  async entriesOf(urls: readonly string[]): Promise<Map<string, string>> {
    const places = new DiskPlaces(this.#mediaRoot);
    const entries = new Map<string, string>();
    for (const url of urls) {
      const entry = await places.entryAt(url);
      if (entry !== undefined) entries.set(url, entry);
    }
    return entries;
  }
}

function refused(path: PropertyKey[], message: string): ServiceError {
  return new ServiceError('invalid_request', `The request is not valid. ${path.join('.')}: ${message}`, {
    details: { issues: [{ code: 'custom', path, message }] },
  });
}
