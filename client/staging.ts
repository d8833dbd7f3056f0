import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, link, mkdir, readFile, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errnoOf, messageOf } from '../contract/unknown-values.ts';
import { linkOrCopy } from './link-or-copy.ts';
import { isStillAlive } from './process-alive.ts';

/**
 * Each owner of a folder has its own file. The file with the highest number names the current owner: the creator has 0,
 * and each process that takes the folder over has the next number. Earlier files stay, so the folder always has an owner.
 */
const ownerFilePattern = /^\.owner(?:\.(\d+))?\.json$/;
const ownerFile = (generation: number) => (generation === 0 ? '.owner.json' : `.owner.${generation}.json`);
/** Also begins the name of an owner file that is being written. */
const ownerPrefix = '.owner.';
/** Holds the facts that a later command needs to deliver the outputs. */
const deliveryFile = '.delivery.json';

/** Name of a folder while it is removed. */
const removedPrefix = '.removed-';

/** Time until the outputs of a detached run are deleted. */
const keptMs = 7 * 24 * 3_600_000;

interface OwnerFile {
  pid: number;
  at: string;
  kept: boolean;
  /** Undefined in a file of an earlier version, whose owner counts as one of this host. */
  host?: string;
}

interface DeliveryFile {
  /** Undefined before the run's start. */
  runId: string | undefined;
  delivery: unknown;
  /** Names of the outputs that the folder held at a delivery; a delivery then moves them. */
  outputs?: string[];
}

/** A run's own folder under the media root, for its local sources and its outputs. */
export class Staging {
  readonly folder: string;
  #isKept = false;
  #generation = 0;

  constructor(mediaRoot: string, runName: string) {
    this.folder = join(mediaRoot, runName);
  }

  async create(): Promise<void> {
    await mkdir(this.outputFolder, { recursive: true });
    await this.#mark(false);
  }

  /** Creates the folder, or empties one that a killed process has left. False if a living process owns it. */
  async createOrTakeOver(): Promise<boolean> {
    await mkdir(this.folder, { recursive: true });
    if (!(await this.takeOver())) return false;
    const parts = (await readdir(this.folder)).filter((name) => !name.startsWith(ownerPrefix));
    for (const part of parts) await rm(join(this.folder, part), { recursive: true, force: true });
    await mkdir(this.outputFolder);
    return true;
  }

  /**
   * Makes this process the owner of the folder, which then survives the process. False if there is no folder, or if a
   * living process owns it. Of several processes one succeeds.
   */
  async takeOver(): Promise<boolean> {
    const owner = await readOwner(this.folder);
    const isAlive = owner !== undefined && mayLive(owner);
    if (isAlive && (owner.pid !== process.pid || !isOfThisHost(owner))) return false;
    this.#generation = owner === undefined ? 0 : isAlive ? owner.generation : owner.generation + 1;
    try {
      // A reader that sees a partial copy would conclude that the folder has no owner.
      await this.#mark(true, isAlive ? rename : linkOrCopy);
      this.#isKept = true;
      return true;
    } catch (error) {
      if (['ENOENT', 'EEXIST'].includes(errnoOf(error) ?? '')) return false;
      throw error;
    }
  }

  /** False if the folder belongs to another program: it exists, and has no owner file. */
  async isOurs(): Promise<boolean> {
    return !existsSync(this.folder) || (await readOwner(this.folder)) !== undefined;
  }

  get outputFolder(): string {
    return join(this.folder, 'out');
  }

  get outputPrefix(): string {
    return `${pathToFileURL(this.outputFolder).href}/`;
  }

  outputUrl(name: string): string {
    return pathToFileURL(join(this.outputFolder, name)).href;
  }

  outputPath(name: string): string {
    return join(this.outputFolder, name);
  }

  async addSource(path: string): Promise<string> {
    // The folder keeps the source apart from other files of its name. The name is part of the input, and so of the run.
    const name = join('in', basename(path));
    await mkdir(join(this.folder, 'in'), { recursive: true });
    await this.addFile(path, name);
    return this.fileUrl(name);
  }

  fileUrl(name: string): string {
    return pathToFileURL(join(this.folder, name)).href;
  }

  /**
   * Makes a file readable for the container. A hard link costs nothing and is safe, because the container only reads
   * it. If no link is possible (another disk, another user's file), the file is copied; file systems with reflinks copy
   * no data. The copy replaces no file, because an existing file may be a hard link of another file of the user.
   */
  async addFile(path: string, name: string): Promise<void> {
    const staged = join(this.folder, name);
    try {
      // A hard link of a symbolic link would lead out of the media root.
      await link(await realpath(path), staged);
    } catch {
      await copyFile(path, staged, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    }
  }

  /** Ends the folder's name first: another process that would take the folder over then finds all of it or nothing. */
  async remove(): Promise<void> {
    const removed = join(dirname(this.folder), `${removedPrefix}${randomUUID()}`);
    try {
      await rename(this.folder, removed);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return;
      throw error;
    }
    await rm(removed, { recursive: true, force: true });
  }

  /**
   * Keeps the folder after this process, for a run that continues or outputs that are not delivered yet. If the first
   * call fails, for example on a full disk, the folder stays until somebody deletes it, and a later command may not find
   * it.
   */
  async keep(runId: string | undefined, delivery: unknown): Promise<void> {
    const wasKept = this.#isKept;
    this.#isKept = true;
    try {
      await this.#writeDelivery({ runId, delivery });
      // The outputs stay for a week from now.
      await this.#mark(true);
    } catch (error) {
      // A sweep ignores a folder without an owner file.
      if (!wasKept) await rm(join(this.folder, ownerFile(this.#generation)), { force: true });
      throw error;
    }
  }

  /** What `keep` got; undefined if it was not called. */
  async kept(): Promise<Partial<DeliveryFile> | undefined> {
    return await readJson<DeliveryFile>(this.folder, deliveryFile);
  }

  /** Names of all outputs that the folder holds, or held at an earlier call since `keep`. */
  async recordOutputs(): Promise<ReadonlySet<string>> {
    const { runId, delivery, outputs = [] } = (await this.kept()) ?? {};
    const present = await readdir(this.outputFolder, { recursive: true }).catch(() => []);
    const all = new Set([...outputs, ...present]);
    if (all.size > outputs.length) {
      // The record only helps a later delivery. A full disk must not stop this one.
      await this.#writeDelivery({ runId, delivery, outputs: [...all] }).catch(() => undefined);
    }
    return all;
  }

  /** A process that is killed leaves the earlier file, by which a later command finds the run. */
  async #writeDelivery(content: DeliveryFile): Promise<void> {
    const draft = join(this.folder, `${deliveryFile}.${randomUUID()}`);
    await writeFile(draft, JSON.stringify(content));
    await rename(draft, join(this.folder, deliveryFile));
  }

  /** Unlike rename, link fails if another process was faster. */
  async #mark(kept: boolean, publish: (draft: string, path: string) => Promise<void> = rename): Promise<void> {
    const owner: OwnerFile = { pid: process.pid, at: new Date().toISOString(), kept, host: hostname() };
    const draft = join(this.folder, `${ownerPrefix}${randomUUID()}`);
    try {
      await writeFile(draft, JSON.stringify(owner));
      await publish(draft, join(this.folder, ownerFile(this.#generation)));
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** Deletes the folders of killed processes. `warn`: called for each folder that cannot be deleted. */
export async function sweepStaging(mediaRoot: string, warn: (sentence: string) => void): Promise<void> {
  const entries = await readdir(mediaRoot, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((entry) => entry.isDirectory())) {
    const staging = new Staging(mediaRoot, entry.name);
    const owner = await readOwner(staging.folder);
    if (owner !== undefined && mayLive(owner)) continue;
    const isRemoved = entry.name.startsWith(removedPrefix);
    // A folder without an owner file belongs to another program.
    if (owner === undefined && !isRemoved) continue;
    if (owner?.kept === true && !isRemoved && Date.now() - Date.parse(owner.at) < keptMs) continue;
    try {
      // Two processes may remove the same folder at a time, but a new file in it would stop the other process.
      if (isRemoved || (await takeForRemoval(staging, owner?.kept === true))) await staging.remove();
    } catch (error) {
      const code = errnoOf(error);
      if (code === undefined) throw error;
      const reason = ['EACCES', 'EPERM'].includes(code)
        ? 'belongs to another user. Delete it yourself.'
        : `cannot be deleted: ${messageOf(error)}.`;
      warn(`${staging.folder} is left from a process that has ended, and ${reason}`);
    }
  }
}

async function takeForRemoval(staging: Staging, isKept: boolean): Promise<boolean> {
  try {
    return await staging.takeOver();
  } catch (error) {
    // A full disk has no space for an owner file. Other commands take over kept folders only.
    if (!isKept && ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '')) return true;
    throw error;
  }
}

/** Finds the kept folder of a run, with the delivery that `keep` got. */
export async function findKeptStaging(
  mediaRoot: string,
  runId: string,
): Promise<{ staging: Staging; delivery: unknown } | undefined> {
  const entries = await readdir(mediaRoot, { withFileTypes: true }).catch(() => []);
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const kept = await readJson<DeliveryFile>(join(mediaRoot, name), deliveryFile);
    if (kept?.runId === runId) return { staging: new Staging(mediaRoot, name), delivery: kept.delivery };
  }
  return undefined;
}

async function readOwner(folder: string): Promise<(OwnerFile & { generation: number }) | undefined> {
  const names = await readdir(folder).catch(() => []);
  const generations = names.map((name) => ownerFilePattern.exec(name)).filter((match) => match !== null);
  if (generations.length === 0) return undefined;
  const generation = Math.max(...generations.map(([, digits = '0']) => Number(digits)));
  const { pid, at, kept = false, host } = (await readJson<OwnerFile>(folder, ownerFile(generation))) ?? {};
  if (typeof pid !== 'number' || typeof at !== 'string') return undefined;
  return { pid, at, kept, generation, ...(host !== undefined && { host }) };
}

/** Nobody sees the processes of another host, which may share the media root. Their owners count as alive for a week. */
function mayLive(owner: OwnerFile): boolean {
  return isOfThisHost(owner) ? isStillAlive(owner) : Date.now() - Date.parse(owner.at) < keptMs;
}

function isOfThisHost({ host }: OwnerFile): boolean {
  return host === undefined || host === hostname();
}

async function readJson<Content>(folder: string, name: string): Promise<Partial<Content> | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, name), 'utf8')) as Partial<Content>;
  } catch {
    return undefined;
  }
}
