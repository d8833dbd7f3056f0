import type { FileUrls, WantedFile } from '../../contract/http/upload-urls.ts';
import { ServiceError } from '../errors.ts';
import type { Delivery } from '../jobs/delivery.ts';
import {
  isSameTarget,
  isSameUpload,
  placesOfTarget,
  removalProblem,
  sizeProblem,
  targetOf,
  type DeliveryTarget,
} from './delivery-target.ts';
import type { Digest } from './digest.ts';
import type { StoredFile } from './upload-to-file.ts';

/** A finished file. If it has no target, the job asks its caller for one. */
export interface DeliverableFile {
  path: string;
  contentType: string;
  cacheControl?: string;
  digest: Digest;
  /** index of the output, or of the chunk, in the request */
  output: number;
  /** Outputs with the same group are stored in the order of one output. Default: each output has its own. */
  group?: number;
  /** name within the output; empty if the output is one file */
  name: string;
  target: DeliveryTarget | undefined;
}

/** A target of a file, until another replaces it. */
export interface GivenTarget {
  target: DeliveryTarget;
  /** Aborted when another target replaces this one. */
  replaced: AbortController;
  /** ETags of the stored parts by index. */
  storedParts: Map<number, string>;
  /** Time at which the job got this target, by `performance.now()`. */
  atMs: number;
  /** Whether the store no longer accepts its signatures. The file is then wanted again. */
  isRefused: boolean;
}

function give(target: DeliveryTarget, storedParts = new Map<number, string>()): GivenTarget {
  return { target, replaced: new AbortController(), storedParts, atMs: performance.now(), isRefused: false };
}

export interface DeliveryItem {
  readonly file: DeliverableFile;
  given: GivenTarget | undefined;
  isStored: boolean;
  /** Facts of a file stored on a disk. */
  stored?: StoredFile | undefined;
}

function isWanted({ given }: DeliveryItem): boolean {
  return given === undefined || given.isRefused;
}

/** Files that are asked for at a time: a view of the job stays small, and signed URLs are used soon. */
export const mostWanted = 500;

interface DeliveryBookDeps {
  /** Throws if a target may not be written to. */
  checkTarget(target: DeliveryTarget): Promise<void>;
  /** Entries of `file:` URLs in their folders, by URL: links may lead to one place. */
  entriesOf(urls: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Called when a file gets a target. */
  onGiven(item: DeliveryItem): void;
  /** Called for a replaced target: nobody else will abort its multipart upload. */
  onAbandoned(target: DeliveryTarget): void;
}

/** Records which files are wanted and which targets the caller gave. A call is accepted as a whole or not at all. */
export class DeliveryBook implements Delivery {
  readonly items: readonly DeliveryItem[];
  /** One call may name 10,000 files. */
  readonly #itemByPlace: ReadonlyMap<string, DeliveryItem>;
  readonly #deps: DeliveryBookDeps;
  #isClosed = false;
  #entries: ReadonlyMap<string, string> = new Map();

  constructor(files: readonly DeliverableFile[], deps: DeliveryBookDeps) {
    this.items = files.map((file) => ({
      file,
      given: file.target === undefined ? undefined : give(file.target),
      isStored: false,
    }));
    this.#itemByPlace = new Map(this.items.map((item) => [placeIn(item.file), item]));
    this.#deps = deps;
  }

  wanted(): WantedFile[] {
    return this.items
      .filter(isWanted)
      .slice(0, mostWanted)
      .map(({ file: { output, name, digest, contentType, cacheControl } }) => ({
        output,
        name,
        size: digest.size,
        contentType,
        ...(cacheControl !== undefined && { cacheControl }),
        md5: digest.md5Base64,
      }));
  }

  get isAnyWanted(): boolean {
    return this.items.some(isWanted);
  }

  /** Accepts no further call: the job is about to end. */
  close(): void {
    this.#isClosed = true;
  }

  async accept(urls: readonly FileUrls[]): Promise<void> {
    this.#plan(urls);
    for (const given of urls) await this.#deps.checkTarget(targetOf(given));
    const given = this.items.flatMap(({ given }) => (given?.target.kind === 'single' ? given.target.url : []));
    this.#entries = await this.#deps.entriesOf([...given, ...urls.flatMap(({ url }) => url ?? [])]);
    // During the address look-ups another call may have been accepted, or a file stored.
    for (const [item, target] of this.#plan(urls)) this.#give(item, target);
  }

  /** Maps each file to its new target; throws if one cannot be accepted. */
  #plan(urls: readonly FileUrls[]): Map<DeliveryItem, DeliveryTarget> {
    if (this.#isClosed) throw refusal('the job is about to end');
    const plan = new Map<DeliveryItem, DeliveryTarget>();
    for (const given of urls) {
      const what = describe(given);
      const item = this.#itemByPlace.get(placeIn(given));
      if (item === undefined) throw refusal(`the job has no ${what}`);
      if (item.file.target !== undefined) throw refusal(`${what} has an uploadUrl in the request`);
      if (plan.has(item)) throw refusal(`${what} is named twice`);
      const target = targetOf(given);
      const isRepeated = item.given !== undefined && isSameTarget(item.given.target, target);
      if (item.isStored && !isRepeated) throw refusal(`${what} is stored already`);
      const problem = sizeProblem(target, item.file.digest.size) ?? removalProblem(target);
      if (problem !== undefined) throw refusal(`${what}: ${problem}`);
      if (target.kind === 'multipart' && new Set(target.partUrls).size < target.partUrls.length) {
        throw refusal(`${what}: two parts have one URL`);
      }
      // The caller repeats a call whose answer was lost, unless the store has refused the URLs since.
      if (!isRepeated || item.given?.isRefused === true) plan.set(item, target);
    }
    this.#checkPlaces(plan);
    return plan;
  }

  #checkPlaces(plan: ReadonlyMap<DeliveryItem, DeliveryTarget>): void {
    const places = new Set<string>();
    for (const item of this.items) {
      const target = plan.get(item) ?? item.given?.target;
      if (target === undefined) continue;
      const entry = target.kind === 'single' ? this.#entries.get(target.url) : undefined;
      const own = entry === undefined ? placesOfTarget(target) : [entry];
      if (own.some((place) => places.has(place))) {
        throw refusal(`${describe(item.file)} has the same place as another file`);
      }
      for (const place of own) places.add(place);
    }
  }

  #give(item: DeliveryItem, target: DeliveryTarget): void {
    const before = item.given;
    const isSame = before !== undefined && isSameUpload(before.target, target);
    item.given = give(target, isSame ? before.storedParts : undefined);
    if (before !== undefined) {
      before.replaced.abort(new Error('Another target has taken the place of this one'));
      if (!isSame) this.#deps.onAbandoned(before.target);
    }
    this.#deps.onGiven(item);
  }
}

/** Key of a file within its job. */
export function placeIn({ output, name }: { output: number; name: string }): string {
  return `${output}/${name}`;
}

function describe({ output, name }: { output: number; name: string }): string {
  return name === '' ? `output ${output}` : `output ${output}, ${JSON.stringify(name)}`;
}

function refusal(reason: string): ServiceError {
  return new ServiceError('invalid_request', `The upload URLs were not accepted: ${reason}.`);
}
