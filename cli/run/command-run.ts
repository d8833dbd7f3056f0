import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { followRun } from '../../client/follow-run.ts';
import { createRunName } from '../../client/run-name.ts';
import { buildRunUrl } from '../../client/run-url.ts';
import { Staging } from '../../client/staging.ts';
import { type RunHandle, startRun } from '../../client/start-run.ts';
import { parseInput, type WorkflowOutcomes } from '../../client/workflow-schemas.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import type { WorkflowInputs, WorkflowType } from '../../contract/workflow/inputs.ts';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import { toSourceName } from '../../contract/workflow/source-name.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import { CliError } from '../cli-error.ts';
import { describeDiskError } from '../media/disk-error.ts';
import { RunDelivery } from '../media/run-delivery.ts';
import type { TakenPlaces } from '../media/taken-places.ts';
import type { Progress } from '../progress/progress.ts';
import type { Settings } from '../settings.ts';
import { goesOnAlone, type Stack } from '../stack/stack.ts';
import { deliverOutcome } from './deliver-outcome.ts';
import { explainFailure } from './explain-failure.ts';
import { type Interrupts, untilAborted } from './interrupts.ts';
import { formatTitle, type RunFacts, type RunReport, showSource } from './run-report.ts';
import { type RunTask, waitingCommand, type WorkflowCommand } from './workflow-command.ts';

/** Time for a cancelled run to end; its ffmpeg ends within 10 s. */
export const cancelTimeoutMs = 30_000;
/** Time for an aborted request to end, which the SDK may be about to retry. */
const abortTimeoutMs = 1_000;
/** A worker answers well within this time, even if it has just started or all containers are busy. */
const silenceMs = 15_000;

export interface CommandRunParts<Type extends WorkflowType> {
  command: WorkflowCommand<Type>;
  task: RunTask;
  settings: Settings;
  client: Client;
  stack: Stack;
  progress: Progress;
  interrupts: Interrupts;
  /** Undefined means an id derived from the source's name. */
  workflowId: string | undefined;
  common: CommonInput;
  detach: boolean;
  /** Pause between two reads of the run's status. */
  pauseMs: number;
  /** Shared by the runs of the command. */
  taken: TakenPlaces;
}

/** One run of a command, from its start to the delivery of its files. */
export class CommandRun<Type extends WorkflowType> {
  readonly #parts: CommandRunParts<Type>;
  readonly #staging: Staging;
  readonly #delivery: RunDelivery;
  readonly #workflowId: string;
  readonly #startedAtMs = Date.now();
  /** True while a run may use the staging folder, or its outputs in the folder are not delivered. */
  #isNeeded = false;

  constructor(parts: CommandRunParts<Type>) {
    this.#parts = parts;
    const { command, task, stack, settings } = parts;
    const name = createRunName(command.workflowType, task.source.name);
    this.#workflowId = parts.workflowId ?? name;
    this.#staging = new Staging(stack.facts.mediaRoot, name);
    this.#delivery = new RunDelivery(task.delivery, this.#staging, settings.userFolder, false, parts.taken);
  }

  async execute(): Promise<RunReport> {
    try {
      await this.#staging.create();
      const handle = await this.#start();
      return await this.#follow(handle);
    } finally {
      if (!this.#isNeeded) await this.#staging.remove();
    }
  }

  /** Cleans up before the process exits. */
  async abandon(): Promise<void> {
    this.#delivery.abandon();
    if (!this.#isNeeded) await this.#staging.remove();
  }

  async #start(): Promise<RunHandle> {
    const { command, task, client, stack, common } = this.#parts;
    const { source } = task;
    const sourceUrl = source.kind === 'file' ? await this.#staging.addSource(source.path) : source.url;
    for (const { path, name } of task.companions ?? []) await this.#staging.addFile(path, name);
    const seconds = task.isPreview === true ? await this.#measure(sourceUrl) : 0;
    const input = inputOf(command, task, common, sourceUrl, this.#staging, seconds);
    const { WorkflowExecutionAlreadyStartedError } = await import('@temporalio/client');
    // A killed process gets no further, and its run needs the folder.
    await this.#staging.keep(undefined, task.delivery);
    this.#isNeeded = true;
    try {
      return await startRun(client, {
        workflowType: command.workflowType,
        workflowId: this.#workflowId,
        taskQueue: stack.facts.taskQueue,
        input,
        summary: formatTitle(task),
        details: `Started by \`npx holdfast ${command.name}\` on the source \`${showSource(source)}\`.`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw this.#unansweredError(error);
      this.#isNeeded = false;
      throw new CliError(
        `The run ${this.#workflowId} is already active. Wait for it with \`npx holdfast ${waitingCommand(command)} --wait ${this.#workflowId}\`, or choose another --workflow-id.`,
      );
    }
  }

  /** The run may exist although the answer to its start was lost. */
  #unansweredError(error: unknown): CliError {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    const lines = [
      `${messageOf(error)}${cause}`,
      `It is unknown whether the run ${this.#workflowId} has started. If it has:`,
      ...this.#nextSteps(),
    ];
    return new CliError(lines.join('\n'));
  }

  /** Lets a container measure the duration of the source. */
  async #measure(sourceUrl: string): Promise<number> {
    const { task, client, stack, interrupts } = this.#parts;
    const { inspectSource } = await import('./inspect-source.ts');
    const { duration } = await inspectSource(client, stack.facts.taskQueue, sourceUrl, interrupts.first).catch(
      async (error: unknown) => {
        if (interrupts.first.aborted) throw new CliError('Cancelled. No file was written.', interrupts.exitCode);
        throw new CliError(await explainFailure(error, task.source.kind === 'url'));
      },
    );
    return duration;
  }

  async #follow(handle: RunHandle): Promise<RunReport> {
    const { command, task, client, stack, progress, interrupts, detach, pauseMs } = this.#parts;
    const address = this.#addressOf(handle);
    progress.note(`${formatTitle(task)}\n${address ?? ''}`.trimEnd());
    if (detach) return await this.#detach(handle);

    const following = new AbortController();
    const silence = setTimeout(() => progress.note(silentSentence(stack.facts.taskQueue)), silenceMs).unref();
    const result = followRun(client, handle, command.workflowType, {
      onStatus: (status) => {
        clearTimeout(silence);
        command.observe?.(this.#delivery, status);
        progress.show(status);
      },
      signal: following.signal,
      pauseMs,
    });
    const interrupted = untilAborted(interrupts.first).then(() => 'interrupted' as const);
    try {
      const outcome = await Promise.race([result, stack.broken, interrupted]);
      progress.stop();
      return outcome === 'interrupted'
        ? await this.#handleInterrupt(handle, result)
        : await this.#deliver(handle, outcome);
    } catch (error) {
      progress.stop();
      return await this.#explain(handle, error);
    } finally {
      clearTimeout(silence);
      following.abort();
      await Promise.race([result.catch(() => undefined), delay(abortTimeoutMs, undefined, { ref: false })]);
    }
  }

  async #deliver(handle: RunHandle, outcome: WorkflowOutcomes[Type]): Promise<RunReport> {
    // From here on, the staged outputs must survive the end of this process.
    const unkept = await this.#keep(handle);
    const tookMs = Date.now() - this.#startedAtMs;
    const report = await deliverOutcome(
      this.#parts.command,
      outcome,
      { delivery: this.#delivery, staging: this.#staging },
      tookMs,
      this.#reportOf(handle),
    );
    if (report.state !== 'undelivered') return report;
    return { ...report, message: [report.message, ...unkept].join('\n') };
  }

  /** Keeps the staging folder. Returns advice for the report if the disk is full: that must not cost the run its files. */
  async #keep(handle: RunHandle): Promise<string[]> {
    try {
      await this.#staging.keep(handle.firstExecutionRunId, this.#parts.task.delivery);
      return [];
    } catch (error) {
      return [
        `The run cannot be recorded in ${this.#staging.folder}: ${describeDiskError(error)}. If --wait finds no files, copy them from there and delete the folder.`,
      ];
    }
  }

  #reportOf(handle: RunHandle): RunFacts {
    const { task } = this.#parts;
    const address = this.#addressOf(handle);
    return {
      title: formatTitle(task),
      source: showSource(task.source),
      target: task.target,
      workflowId: handle.workflowId,
      runId: handle.firstExecutionRunId,
      ...(address !== undefined && { address }),
    };
  }

  #addressOf(handle: { workflowId: string; firstExecutionRunId: string }): string | undefined {
    const { uiUrl, namespace } = this.#parts.stack.facts;
    return uiUrl === undefined
      ? undefined
      : buildRunUrl(uiUrl, namespace, handle.workflowId, handle.firstExecutionRunId);
  }

  async #detach(handle: RunHandle): Promise<RunReport> {
    const message = await this.#leave(handle, `Detached: the run ${this.#workflowId} continues without this command.`);
    return { ...this.#reportOf(handle), state: 'detached', files: [], message };
  }

  /** Keeps the folder of a run that this command leaves. Returns the reason with the commands for the run. */
  async #leave(handle: RunHandle, ...reason: string[]): Promise<string> {
    const unkept = await this.#keep(handle);
    return [...reason, ...this.#nextSteps(this.#addressOf(handle)), ...unkept].join('\n');
  }

  #nextSteps(address?: string): string[] {
    const { command, task } = this.#parts;
    return [
      ...(address === undefined ? [] : [`  View it:     ${address}`]),
      `  Fetch it:    npx holdfast ${waitingCommand(command)} --wait ${this.#workflowId}`,
      ...(task.delivery.destination.kind === 'folder' ? [`  Its files:   ${this.#staging.outputFolder}`] : []),
      `  Cancel it:   npx holdfast runs cancel ${this.#workflowId}`,
    ];
  }

  /** Detaches from the run if others keep working on it, otherwise cancels it. */
  async #handleInterrupt(handle: RunHandle, result: Promise<unknown>): Promise<RunReport> {
    const { stack, progress } = this.#parts;
    if (goesOnAlone(stack)) return await this.#detach(handle);
    const owner = stack.kind === 'own' ? 'this command' : 'another command';
    progress.note(`Cancelling the run, because its worker stops with ${owner} (Ctrl-C again stops at once) …`);
    this.#isNeeded = false;
    await handle.cancel();
    await Promise.race([
      result.catch(() => undefined),
      stack.broken.catch(() => undefined),
      delay(cancelTimeoutMs, undefined, { ref: false }),
    ]);
    return { ...this.#reportOf(handle), state: 'cancelled', files: [], message: 'Cancelled. No file was written.' };
  }

  async #explain(handle: RunHandle, error: unknown): Promise<RunReport> {
    const { task, stack } = this.#parts;
    const { WorkflowFailedError } = await import('@temporalio/client');
    let hasEnded = error instanceof WorkflowFailedError;
    if (!hasEnded && stack.kind === 'own') {
      // A part of the stack died. The run is terminated, so that the next stack does not resume it unasked.
      const terminated = handle.terminate('The command that started it ended with an error.').then(() => true);
      hasEnded = await terminated.catch(() => false);
    }
    this.#isNeeded = !hasEnded;
    const reason = await explainFailure(error, task.source.kind === 'url');
    const message = hasEnded
      ? reason
      : await this.#leave(handle, reason, `The run ${this.#workflowId} was not cancelled. To go on with it:`);
    return { ...this.#reportOf(handle), state: 'failed', files: [], message };
  }
}

function silentSentence(taskQueue: string): string {
  return `No worker has reported on this run yet. Check that a worker polls the task queue ${taskQueue} and has the same PAYLOAD_KEY as this command.`;
}

export function inputOf<Type extends WorkflowType>(
  command: WorkflowCommand<Type>,
  task: RunTask,
  common: CommonInput,
  sourceUrl: string,
  staging: Staging,
  seconds = 0,
): WorkflowInputs[Type] {
  return parseInput(command.workflowType, {
    ...task.buildInput(sourceUrl, staging, seconds),
    ...(task.source.kind === 'file' && definedFields({ sourceName: toSourceName(basename(task.source.path)) })),
    ...common,
  });
}
