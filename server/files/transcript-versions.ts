import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { linkOrCopy } from '../../client/link-or-copy.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { ProblemError } from '../problem-error.ts';
import { freeBytes, requireRoom } from './guarded-store.ts';

/** Versions of a run that are kept. */
const mostVersions = 10;

/** A server that is killed leaves its draft. A living one needs seconds for it. */
const draftLivesMs = 3_600_000;

export interface TranscriptVersion {
  /** Counts from 1. */
  version: number;
  path: string;
}

/** Corrected transcripts: a folder for each run, named by its run id, with one file per version. */
export class TranscriptVersions {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined if nobody has corrected the transcript. */
  async latest(runId: string): Promise<TranscriptVersion | undefined> {
    const version = Math.max(0, ...(await this.#versionsOf(runId)));
    return version === 0 ? undefined : { version, path: this.#pathOf(runId, version) };
  }

  /**
   * Stores the version that follows `known`; 0 is the transcript that the run wrote. Throws `precondition_failed` if
   * `known` is not the latest version: of two that follow the same one, only the first is stored.
   */
  async save(runId: string, known: number, transcript: object): Promise<TranscriptVersion> {
    const latest = await this.latest(runId);
    if (latest?.version !== (known === 0 ? undefined : known)) throw otherVersion(known, latest?.version ?? 0);
    const text = JSON.stringify(transcript, undefined, 1);
    const bytes = Buffer.byteLength(text);
    requireRoom(bytes, await freeBytes(this.#folder), 'the transcript');
    const version = known + 1;
    const [path, draft] = [this.#pathOf(runId, version), join(this.#folder, runId, `${randomUUID()}.draft`)];
    await mkdir(join(this.#folder, runId), { recursive: true });
    try {
      await writeFile(draft, text);
      // Another server may have stored a version in the meantime.
      await linkOrCopy(draft, path);
    } catch (error) {
      throw errnoOf(error) === 'EEXIST' ? otherVersion(known, version) : error;
    } finally {
      await rm(draft, { force: true });
    }
    const old = (await this.#versionsOf(runId)).filter((each) => each <= version - mostVersions);
    await Promise.all(old.map((each) => rm(this.#pathOf(runId, each), { force: true })));
    await this.#removeOldDrafts(runId);
    return { version, path };
  }

  async #removeOldDrafts(runId: string): Promise<void> {
    const folder = join(this.#folder, runId);
    const drafts = (await readdir(folder)).filter((name) => name.endsWith('.draft'));
    for (const draft of drafts.map((name) => join(folder, name))) {
      // Another server may have removed the draft.
      const changedMs = (await stat(draft).catch(() => undefined))?.mtimeMs ?? Infinity;
      if (Date.now() - changedMs > draftLivesMs) await rm(draft, { force: true });
    }
  }

  async #versionsOf(runId: string): Promise<number[]> {
    const names = await readdir(join(this.#folder, runId)).catch(() => []);
    return names.flatMap((name) => {
      const version = /^transcript\.([1-9]\d*)\.json$/.exec(name)?.[1];
      return version === undefined ? [] : [Number(version)];
    });
  }

  #pathOf(runId: string, version: number): string {
    return join(this.#folder, runId, `transcript.${version}.json`);
  }
}

function otherVersion(known: number, latest: number): ProblemError {
  return new ProblemError(
    'precondition_failed',
    `The transcript has version ${latest}, and your changes are to version ${known}. Load version ${latest} and make them again.`,
  );
}
