import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Staging } from '../../client/staging.ts';
import { CliError } from '../cli-error.ts';
import { formatPath } from '../text/format-path.ts';
import { deliver, removeAside } from './delivery.ts';
import { type Destination, parseDestination } from './destination.ts';
import { describeDiskError } from './disk-error.ts';
import type { NamedSource } from './named-source.ts';
import { holdSameBytes, isSameFile } from './same-file.ts';
import type { CompanionFile } from './tag-arguments.ts';
import { TakenPlaces } from './taken-places.ts';

/** Destination of a run's files. Stored with the staged files, so that a later command can deliver them. */
export const DeliveryPlan = z.object({
  destination: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('folder'), path: z.string() }),
    z.object({ kind: z.literal('store'), prefix: z.string() }),
  ]),
  /** Names of the outputs in their order; empty if they are unknown before the run. */
  names: z.array(z.string()),
  overwrite: z.boolean(),
  /** Local files that the run reads; no output replaces them. */
  inputs: z.array(z.string()).default([]),
});
export type DeliveryPlan = z.infer<typeof DeliveryPlan>;

export function localInputs(source: NamedSource, companions: readonly CompanionFile[] = []): string[] {
  return [...(source.kind === 'file' ? [source.path] : []), ...companions.map(({ path }) => path)];
}

/** The plan that `keep` stored, with the options of this command applied. */
export function planKept(
  kept: unknown,
  { out, overwrite }: { out?: string; overwrite: boolean },
  { userFolder }: { userFolder: string },
): DeliveryPlan {
  const plan = DeliveryPlan.safeParse(kept).data ?? {
    destination: parseDestination(undefined, userFolder),
    names: [],
    overwrite: false,
    inputs: [],
  };
  const destination = out === undefined ? plan.destination : parseDestination(out, userFolder);
  assertMovable(plan.destination, destination);
  // The first command permitted replacements in its own folder only.
  return { ...plan, destination, overwrite: overwrite || (out === undefined && plan.overwrite) };
}

/** Throws if the files would have to be copied from or to a store: a delivery only moves staged files. */
function assertMovable(from: Destination, to: Destination): void {
  if (from.kind === 'store') {
    if (to.kind === 'store' && to.prefix === from.prefix) return;
    throw new CliError(`The run stores its files at ${from.prefix}, and --wait does not copy them. Omit --out.`);
  }
  if (to.kind === 'folder') return;
  throw new CliError('--wait writes the files of this run to a folder, not to a store. Use --out FOLDER.');
}

/** Moves the files of one run from its staging folder to their destination. */
export class RunDelivery {
  readonly plan: DeliveryPlan;
  /** Delivered files, as paths relative to the user's folder. */
  readonly places: string[] = [];
  readonly #staging: Staging;
  readonly #userFolder: string;
  /** Names of the files that are or were in the staging folder. */
  #recorded: Promise<ReadonlySet<string>> | undefined;
  /** True if an earlier command may have delivered some of the files. */
  readonly #isResumed: boolean;
  readonly #taken: TakenPlaces;
  #current: string | undefined;

  constructor(plan: DeliveryPlan, staging: Staging, userFolder: string, isResumed = false, taken = new TakenPlaces()) {
    [this.plan, this.#staging, this.#userFolder] = [plan, staging, userFolder];
    [this.#isResumed, this.#taken] = [isResumed, taken];
  }

  async deliver(name: string): Promise<string> {
    const { destination } = this.plan;
    const place = await this.#taken.inTurn(async () => {
      const moved = await this.#move(name);
      if (moved !== undefined && destination.kind === 'folder') this.#taken.add(join(destination.path, name));
      return moved;
    });
    // An earlier command wrote the file to another folder, or its output was moved since.
    if (place === undefined) return `${name} (already delivered)`;
    this.places.push(place);
    return place;
  }

  /** Delivers the files of one output, which belong into one folder. Returns its path. */
  async deliverFolder(folder: string, names: readonly string[]): Promise<string> {
    const elsewhere = [];
    for (const name of names) if (await this.#isElsewhere(name)) elsewhere.push(name);
    if (elsewhere.length > 0 && elsewhere.length === names.length) return `${folder} (already delivered)`;
    if (elsewhere.length > 0) {
      throw new CliError(
        `${elsewhere.length} of the ${names.length} files of ${folder} were written to another folder before, such as ${elsewhere[0]}. Move them to ${this.placeOf(folder)} first, or give their folder as --out.`,
      );
    }
    for (const name of names) await this.deliver(name);
    return this.placeOf(folder);
  }

  /** Path relative to the user's folder, or S3 URL. */
  placeOf(name: string): string {
    const { destination } = this.plan;
    if (destination.kind === 'store') return `${destination.prefix}${name}`;
    return formatPath(join(destination.path, name), this.#userFolder);
  }

  /** Path of a file before its delivery; undefined if the run has stored it in S3 or an earlier command delivered it. */
  async stagedPath(name: string): Promise<string | undefined> {
    if (this.plan.destination.kind === 'store' || (await this.#isGone(name))) return undefined;
    return this.#staging.outputPath(name);
  }

  /** Removes a partial copy before the process exits. */
  abandon(): void {
    if (this.#current !== undefined) removeAside(this.#current);
  }

  /** A delivery removes the staged file last. Throws if the file was never in the staging folder. */
  async #isGone(name: string): Promise<boolean> {
    // The names are recorded before the first file is moved.
    this.#recorded ??= this.#staging.recordOutputs();
    const recorded = await this.#recorded;
    if (existsSync(this.#staging.outputPath(name))) return false;
    // Without its folder, another command has delivered all files of the run.
    if (recorded.has(name) || (this.#isResumed && !existsSync(this.#staging.outputFolder))) return true;
    throw new CliError(
      `${name} is missing in ${this.#staging.outputFolder}. If a container or worker runs elsewhere, its MEDIA_ROOT must be this command's, on the same disk.`,
    );
  }

  /** Whether an earlier command has delivered the file to another folder. */
  async #isElsewhere(name: string): Promise<boolean> {
    const { destination } = this.plan;
    return destination.kind === 'folder' && (await this.#isGone(name)) && !existsSync(join(destination.path, name));
  }

  /** Undefined if an earlier command has delivered the file elsewhere. */
  async #move(name: string): Promise<string | undefined> {
    const { destination, overwrite, inputs } = this.plan;
    if (destination.kind === 'store') return this.placeOf(name);
    const target = join(destination.path, name);
    if (await this.#isElsewhere(name)) return undefined;
    if (await this.#isGone(name)) return this.placeOf(name);
    if (this.#taken.has(target)) {
      throw new CliError(`${name} was not written to ${destination.path}: it would replace the output of another run.`);
    }
    // Without --overwrite, no existing file is replaced.
    const replaced = overwrite ? inputs.find((input) => isSameFile(target, input)) : undefined;
    if (replaced !== undefined) {
      throw new CliError(`${name} was not written to ${destination.path}: it would replace ${replaced}, a source.`);
    }
    const staged = this.#staging.outputPath(name);
    // With --overwrite, the target may be an older output.
    if (this.#isResumed && !overwrite && (await holdSameBytes(staged, target))) return this.placeOf(name);
    this.#current = target;
    try {
      await deliver(staged, target, overwrite);
    } catch (error) {
      if (error instanceof CliError) throw error;
      throw new CliError(`${name} cannot be written to ${destination.path}: ${describeDiskError(error)}.`);
    } finally {
      this.#current = undefined;
    }
    return this.placeOf(name);
  }
}
