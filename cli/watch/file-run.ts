import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  Client,
  WorkflowExecutionDescription,
  WorkflowExecutionStatusName,
  WorkflowHandle,
} from '@temporalio/client';
import { followRun } from '../../client/follow-run.ts';
import { createRunName } from '../../client/run-name.ts';
import { Staging } from '../../client/staging.ts';
import { type RunHandle, startRun } from '../../client/start-run.ts';
import type { WorkflowInputs } from '../../contract/workflow/inputs.ts';
import { CliError } from '../cli-error.ts';
import { OutputOwners } from '../media/output-owners.ts';
import { DeliveryPlan, RunDelivery } from '../media/run-delivery.ts';
import { listFile } from '../media/source-list.ts';
import type { Progress } from '../progress/progress.ts';
import { cancelTimeoutMs, inputOf } from '../run/command-run.ts';
import { deliverOutcome } from '../run/deliver-outcome.ts';
import {
  type EncodeWishes,
  labelsOf,
  type OutputsPlan,
  planOutputs,
  planTask,
  targetsOf,
} from '../run/encode-tasks.ts';
import { encodeCommand } from '../run/encode-workflow.ts';
import { explainFailure } from '../run/explain-failure.ts';
import { formatTitle, type RunFacts, type RunReport, showSource } from '../run/run-report.ts';
import { commonInputOf, type PolicyOptions, type RunTask } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';
import { goesOnAlone, type Stack } from '../stack/stack.ts';
import { type FoundFile, isSameVersion } from './settled-files.ts';
import { assertNotWatched, findFile, type WatchedFolder } from './watched-folder.ts';

/** Pause between two reads of a status; several files may be encoded at once. */
const pauseMs = 2_000;

/** A run that was stopped has not judged its file. */
const repeatable: ReadonlySet<WorkflowExecutionStatusName> = new Set(['CANCELLED', 'TERMINATED', 'TIMED_OUT']);

export interface FileRunParts {
  watched: WatchedFolder;
  encode: EncodeWishes;
  policy: PolicyOptions;
  settings: Settings;
  client: Client;
  stack: Stack;
  /** Maps each target that may be replaced to its source. */
  owners: Map<string, string>;
  /** Ends the watch. Its reason is an Interruption if a person has asked for it. */
  stop: AbortSignal;
  progressOf(title: string): Progress;
}

/** Reason of a stop by Ctrl-C or a signal. */
export class Interruption extends Error {}

/** Refuses a file while another file owns its target. */
export class TargetTaken extends CliError {
  readonly target: string;

  constructor(target: string, owner: string, path: string) {
    super(`${owner} and ${path} would both be written to ${target}. Rename one.`);
    this.target = target;
  }
}

/** Result of a file: a report, or no report because another process encodes the file or an earlier one has encoded it. */
export type FileEnding = RunReport | 'elsewhere' | 'known';

/**
 * The run of one version of a file. Its workflow id is the same in each process that watches the folder, so Temporal's
 * policy for the reuse of ids decides who encodes the version. The staging folder is named by the id, and its owner
 * delivers the outputs.
 */
export class FileRun {
  readonly title: string;
  readonly #file: FoundFile;
  readonly #parts: FileRunParts;
  readonly #plan: OutputsPlan;
  readonly #workflowId: string;
  readonly #staging: Staging;
  #delivery: RunDelivery | undefined;

  /** Throws if the outputs would be written to a watched folder. */
  constructor(file: FoundFile, parts: FileRunParts) {
    const { watched, encode, stack } = parts;
    [this.#file, this.#parts] = [file, parts];
    this.#plan = planOutputs(listFile(watched.path, file.path), encode);
    const { source, outputs, delivery } = this.#plan;
    if (delivery.destination.kind === 'folder') {
      assertNotWatched(watched, delivery.destination.path, 'The output folder');
    }
    this.title = formatTitle({ source, target: labelsOf(outputs) });
    this.#workflowId = createRunName('watch', source.name, digestOf(file, targetsOf(delivery)));
    this.#staging = new Staging(stack.facts.mediaRoot, this.#workflowId);
  }

  /** Throws if the outputs would replace those of another file. */
  async execute(): Promise<FileEnding> {
    this.#claimTargets();
    const handle = this.#parts.client.workflow.getHandle(this.#workflowId);
    const earlier = await describeRun(handle);
    if (earlier === undefined) return await this.#encode('REJECT_DUPLICATE');
    return repeatable.has(earlier.status.name)
      ? await this.#encode('ALLOW_DUPLICATE_FAILED_ONLY')
      : await this.#resume(handle, earlier);
  }

  #claimTargets(): void {
    const { encode, owners } = this.#parts;
    // Existing files are kept.
    if (encode.files.skipExisting) return;
    const { path } = this.#file;
    for (const target of targetsOf(this.#plan.delivery)) {
      const owner = owners.get(target) ?? path;
      if (owner !== path) throw new TargetTaken(target, owner, path);
      owners.set(target, path);
    }
  }

  /** Removes a partial copy before the process exits. */
  abandon(): void {
    this.#delivery?.abandon();
  }

  async #encode(reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY'): Promise<FileEnding> {
    const { encode, client, stack } = this.#parts;
    const startedAtMs = Date.now();
    const task = planTask(this.#plan, encode, new OutputOwners([]));
    if ('skipped' in task) return this.#skip(task.skipped);
    if (!(await this.#staging.createOrTakeOver())) return 'elsewhere';
    const input = await this.#stage(task).catch(async (error: unknown) => {
      await this.#staging.remove();
      throw error;
    });
    if (input === undefined) return this.#skipChanged();
    const { WorkflowExecutionAlreadyStartedError } = await import('@temporalio/client');
    let handle: RunHandle;
    try {
      handle = await startRun(client, {
        workflowType: 'encode',
        workflowId: this.#workflowId,
        taskQueue: stack.facts.taskQueue,
        input,
        reuse,
        summary: this.title,
        details: `Started by \`npx holdfast watch\` on the source \`${showSource(task.source)}\`.`,
      });
    } catch (error) {
      // The folder stays after other errors: the run may exist although its answer was lost.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await this.#staging.remove();
      return 'elsewhere';
    }
    // The delivery is recorded already. If the disk is full by now, only the run's id is missing in the record.
    await this.#staging.keep(handle.firstExecutionRunId, task.delivery).catch(() => undefined);
    return await this.#follow(handle, startedAtMs, new RunDelivery(task.delivery, this.#staging, encode.userFolder));
  }

  /** Returns the input of the run; undefined if the file has changed again. */
  async #stage(task: RunTask): Promise<WorkflowInputs['encode'] | undefined> {
    const sourceUrl = await this.#staging.addSource(this.#file.path);
    for (const { path, name } of task.companions ?? []) await this.#staging.addFile(path, name);
    // A killed process may not get further than the start of the run.
    await this.#staging.keep(undefined, task.delivery);
    const input = inputOf(encodeCommand, task, commonInputOf(this.#parts.policy), sourceUrl, this.#staging);
    const now = await findFile(this.#file.path);
    return now !== undefined && isSameVersion(now, this.#file) ? input : undefined;
  }

  /** Continues the work of a process that has been killed, or that another process still does. */
  async #resume(handle: WorkflowHandle, { status, startTime }: WorkflowExecutionDescription): Promise<FileEnding> {
    if (!(await this.#staging.takeOver())) {
      if (existsSync(this.#staging.folder)) return 'elsewhere';
      return status.name === 'FAILED' ? this.#skip(failedSentence(this.#workflowId)) : 'known';
    }
    const plan = DeliveryPlan.safeParse((await this.#staging.kept())?.delivery).data ?? this.#plan.delivery;
    const delivery = new RunDelivery(plan, this.#staging, this.#parts.encode.userFolder, true);
    return await this.#follow(handle, startTime.getTime(), delivery);
  }

  async #follow(handle: WorkflowHandle, startedAtMs: number, delivery: RunDelivery): Promise<FileEnding> {
    const { client, stop, progressOf } = this.#parts;
    const { WorkflowFailedError } = await import('@temporalio/client');
    const progress = progressOf(this.title);
    try {
      const outcome = await followRun(client, handle, 'encode', {
        onStatus: (status) => progress.show(status),
        signal: stop,
        pauseMs,
      });
      const now = await findFile(this.#file.path);
      if (now !== undefined && !isSameVersion(now, this.#file)) return this.#skipChanged();
      this.#delivery = delivery;
      const tookMs = Date.now() - startedAtMs;
      return await deliverOutcome(encodeCommand, outcome, { delivery, staging: this.#staging }, tookMs, this.#facts());
    } catch (error) {
      if (stop.aborted) return await this.#leave(handle);
      if (!(error instanceof WorkflowFailedError)) throw error;
      await this.#staging.remove();
      return { ...this.#facts(), state: 'failed', files: [], message: await explainFailure(error, false) };
    }
  }

  /** Leaves a run to its worker, or cancels it if the worker stops with this command, as `encode` does. */
  async #leave(handle: WorkflowHandle): Promise<RunReport> {
    const { stack, stop } = this.#parts;
    if (stop.reason instanceof Interruption && !goesOnAlone(stack)) {
      await handle.cancel();
      const ended = handle.result().then(
        () => 'completed',
        () => 'cancelled',
      );
      if ((await Promise.race([ended, delay(cancelTimeoutMs, undefined, { ref: false })])) === 'cancelled') {
        await this.#staging.remove();
        const message = 'It is encoded at the next start.';
        return { ...this.#facts(), state: 'cancelled', files: [], message };
      }
    }
    const message = 'Its run continues, and the next `npx holdfast watch` writes its files.';
    return { ...this.#facts(), state: 'detached', files: [], message };
  }

  async #skipChanged(): Promise<RunReport> {
    await this.#staging.remove();
    return this.#skip('The file has changed. It will be encoded once it stops changing.');
  }

  #skip(message: string): RunReport {
    return { ...this.#facts(), state: 'skipped', files: [], message };
  }

  #facts(): RunFacts {
    const { source, outputs } = this.#plan;
    return {
      title: this.title,
      source: showSource(source),
      target: labelsOf(outputs),
      workflowId: this.#workflowId,
    };
  }
}

function failedSentence(workflowId: string): string {
  return `Its run has failed before; \`npx holdfast runs show ${workflowId}\` shows why. Save the file again to repeat it.`;
}

/** Undefined if there has been no run of this id, as far as Temporal remembers. */
async function describeRun(handle: WorkflowHandle): Promise<WorkflowExecutionDescription | undefined> {
  const { WorkflowNotFoundError } = await import('@temporalio/client');
  return await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  });
}

/** Seconds are enough for a settled file, and file systems differ in the rest. */
function digestOf({ path, size, mtimeMs }: FoundFile, targets: readonly string[]): string {
  const version = JSON.stringify([path, size, Math.floor(mtimeMs / 1000), ...targets]);
  return createHash('sha256').update(version).digest('hex').slice(0, 16);
}
