import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { isTemporalAway } from '../../client/grpc-status.ts';
import type { BatchProgress } from '../progress/batch-progress.ts';
import { createBatchProgress } from '../progress/create-progress.ts';
import { explainFailure } from '../run/explain-failure.ts';
import { isError, type RunReport } from '../run/run-report.ts';
import { describeReport } from '../run/write-reports.ts';
import { CliError } from '../cli-error.ts';
import { type FileEnding, FileRun, type FileRunParts, TargetTaken } from './file-run.ts';
import { type FoundFile, SettledFiles } from './settled-files.ts';
import { findFiles } from './watched-folder.ts';

/** Concurrent runs: more than a worker usually has containers, so that none idles. */
const runsAtOnce = 16;

/** Longest pause between two scans of the folder. */
const maxPauseMs = 2_000;

export interface FolderWatchParts extends Omit<FileRunParts, 'owners' | 'progressOf'> {
  settleMs: number;
  /** Stop once each file that exists has been encoded. */
  once: boolean;
  /** Print a line of JSON for each file. */
  json: boolean;
}

/** Looks at a folder at regular intervals, and runs each file that has stopped growing. */
export class FolderWatch {
  readonly #parts: FolderWatchParts;
  readonly #files: SettledFiles;
  readonly #queue = new PQueue({ concurrency: runsAtOnce });
  readonly #progress: BatchProgress;
  readonly #active = new Set<FileRun>();
  readonly #owners = new Map<string, string>();
  /** Files that were refused, by the target that another file owns. */
  readonly #refused = new Map<string, FoundFile[]>();
  /** Problems that have been noted and have not passed yet. */
  readonly #problems = new Map<'folder' | 'temporal', string>();
  /** Problems of files and subfolders that have been noted. */
  readonly #noted = new Set<string>();
  hasFailed = false;

  constructor(parts: FolderWatchParts) {
    this.#parts = parts;
    this.#files = new SettledFiles(parts.settleMs);
    this.#progress = createBatchProgress(0, parts.json ? process.stderr : process.stdout, parts.settings);
  }

  /** Returns when the watch is stopped or, with `once`, when nothing is left to do. */
  async run(): Promise<void> {
    const { watched, stop, once, settleMs } = this.#parts;
    while (!stop.aborted) {
      const look = async () => {
        const found = await findFiles(watched, (problem) => this.#noteOnce(problem));
        this.#forgetOwners(found);
        return this.#files.observe(found, performance.now());
      };
      // A folder that cannot be read now may come back, as network shares do.
      const settled = once ? await look() : ((await this.#attempt('folder', look)) ?? []);
      for (const file of settled) void this.#queue.add(async () => await this.#runOne(file));
      if (once && !this.#files.isWaiting && !this.isBusy) break;
      await delay(Math.min(maxPauseMs, settleMs / 2), undefined, { signal: stop }).catch(() => undefined);
    }
    this.#queue.clear();
    await this.#queue.onIdle();
    this.#progress.stop();
  }

  /** True while files are being encoded. */
  get isBusy(): boolean {
    return this.#queue.size + this.#queue.pending > 0;
  }

  /** Removes partial copies before the process exits. */
  async abandon(): Promise<void> {
    for (const run of this.#active) run.abandon();
  }

  async #runOne(file: FoundFile): Promise<void> {
    if (this.#parts.stop.aborted) return;
    const progress = this.#progress;
    progress.add();
    let title = file.path;
    const ending = await this.#attempt('temporal', async () => {
      try {
        const progressOf = (one: string) => progress.runOf(one);
        const run = new FileRun(file, { ...this.#parts, owners: this.#owners, progressOf });
        title = run.title;
        return await this.#execute(run);
      } catch (error) {
        if (isTemporalAway(error)) throw new CliError('Temporal does not answer at the moment.');
        if (error instanceof TargetTaken) this.#refuse(file, error.target);
        return await reportProblem(file, title, error);
      }
    });
    if (ending === undefined || typeof ending === 'string') {
      progress.drop(title);
      // The process that encodes the file may be killed, and Temporal may be away only for now.
      if (ending === undefined || (ending === 'elsewhere' && !this.#parts.once)) this.#files.giveBack(file);
    } else {
      this.#report(ending);
    }
  }

  /** Lets other files replace the outputs of files that are gone. */
  #forgetOwners(found: readonly FoundFile[]): void {
    const paths = new Set(found.map(({ path }) => path));
    for (const [target, path] of this.#owners) {
      if (paths.has(path)) continue;
      this.#owners.delete(target);
      for (const file of this.#refused.get(target) ?? []) this.#files.giveBack(file);
      this.#refused.delete(target);
    }
  }

  #refuse(file: FoundFile, target: string): void {
    this.#refused.set(target, [...(this.#refused.get(target) ?? []), file]);
  }

  async #execute(run: FileRun): Promise<FileEnding> {
    this.#active.add(run);
    try {
      return await run.execute();
    } finally {
      this.#active.delete(run);
    }
  }

  #report(report: RunReport): void {
    this.hasFailed ||= isError(report.state);
    const { state, tookSeconds, files, message = '' } = report;
    const what = state === 'succeeded' ? ` in ${tookSeconds} s: ${files.join(', ')}` : `. ${message}`;
    this.#progress.end(report.title, `${state}${what}`);
    if (this.#parts.json) process.stdout.write(`${JSON.stringify(describeReport(report))}\n`);
  }

  #noteOnce(problem: string): void {
    if (!this.#noted.has(problem)) this.#progress.note(problem);
    this.#noted.add(problem);
  }

  /** Returns undefined if the action fails, and notes the problem once until it has passed. */
  async #attempt<Result>(what: 'folder' | 'temporal', action: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await action();
      this.#problems.delete(what);
      return result;
    } catch (error) {
      const problem = await explainFailure(error, false);
      const isNew = problem !== this.#problems.get(what);
      if (isNew && !this.#parts.stop.aborted) this.#progress.note(`${problem} Trying again …`);
      this.#problems.set(what, problem);
      return undefined;
    }
  }
}

async function reportProblem(file: FoundFile, title: string, error: unknown): Promise<RunReport> {
  const message = error instanceof CliError ? error.message : await explainFailure(error, false);
  return { title, source: file.path, target: '', state: 'failed', files: [], message };
}
