import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { followRun } from '../../client/follow-run.ts';
import { createRunName } from '../../client/run-name.ts';
import { buildRunUrl } from '../../client/run-url.ts';
import { Staging, sweepStaging } from '../../client/staging.ts';
import { type RunHandle, startRun } from '../../client/start-run.ts';
import { parseInput, type WorkflowOutcomes } from '../../client/workflow-schemas.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import type { WorkflowInputs, WorkflowType } from '../../contract/workflow/inputs.ts';
import { CliError } from '../cli-error.ts';
import type { NamedSource } from '../media/named-source.ts';
import { createProgress, type Progress } from '../progress/progress.ts';
import type { Settings } from '../settings.ts';
import { openStack } from '../stack/open-stack.ts';
import type { Stack } from '../stack/stack.ts';
import { Interrupts, untilAborted } from './interrupts.ts';
import { assertReadsFrom } from './media-check.ts';

/** What distinguishes the three commands that run one workflow. */
export interface WorkflowCommand<Type extends WorkflowType> {
  /** Of `npm run …` */
  name: 'encode' | 'chunk' | 'process';
  workflowType: Type;
  source: NamedSource;
  /** "mp3_128 + opus_24" */
  target: string;
  /** The workflow's input, not yet checked against the contract. */
  buildInput(sourceUrl: string, staging: Staging): unknown;
  /** Puts the outputs in their place and gives the lines to print. */
  finish(outcome: WorkflowOutcomes[Type], staging: Staging, tookMs: number): Promise<string>;
  /** Whether the run has done all that was asked; without it, every run that ends well has. */
  isComplete?(outcome: WorkflowOutcomes[Type]): boolean;
}

/** How long a run may take to end after it was cancelled; its ffmpeg has ended within 10 s. */
const cancelTimeoutMs = 30_000;
/** An aborted request ends at once, unless the SDK is about to repeat it. */
const abortTimeoutMs = 1_000;

/** A command from looking for what runs already to its exit code. */
export async function runCommand<Type extends WorkflowType>(
  command: WorkflowCommand<Type>,
  settings: Settings,
): Promise<number> {
  const startedAtMs = Date.now();
  // What the contract refuses is refused before anything starts.
  inputOf(command, 'file:///source', new Staging(settings.mediaRoot, 'run'));
  const interrupts = new Interrupts(settings.parentPid);
  const progress = createProgress(process.stderr, settings.isDumbTerminal);
  const stack = await openStack({
    settings,
    command: command.name,
    say: (sentence) => progress.note(sentence),
    signal: interrupts.first,
    waitForWorker: false,
  });
  const name = createRunName(command.workflowType, command.source.name);
  const staging = new Staging(stack.facts.mediaRoot, name);
  const stopAtOnce = async () => {
    progress.stop();
    stack.kill();
    await staging.removeUnlessKept();
    process.exit(interrupts.exitCode);
  };
  void untilAborted(interrupts.second).then(stopAtOnce);
  try {
    void sweepStaging(stack.facts.mediaRoot);
    await staging.create();
    const run = new CommandRun({ command, settings, stack, staging, progress, interrupts, startedAtMs });
    return await run.execute(name);
  } finally {
    progress.stop();
    await staging.removeUnlessKept();
    // The run is over, and only the stack's end is left: from here the first Ctrl-C stops at once, as the second does.
    if (!interrupts.first.aborted) void untilAborted(interrupts.first).then(stopAtOnce);
    await stack.close({ onWait: (sentence) => progress.note(sentence) });
  }
}

interface CommandRunParts<Type extends WorkflowType> {
  command: WorkflowCommand<Type>;
  settings: Settings;
  stack: Stack;
  staging: Staging;
  progress: Progress;
  interrupts: Interrupts;
  startedAtMs: number;
}

class CommandRun<Type extends WorkflowType> {
  readonly #parts: CommandRunParts<Type>;

  constructor(parts: CommandRunParts<Type>) {
    this.#parts = parts;
  }

  async execute(name: string): Promise<number> {
    const { command, stack, staging, progress, interrupts, startedAtMs } = this.#parts;
    const { createClient } = await import('../../client/connection.ts');
    const client = createClient(stack.connection, stack.facts.namespace);
    const handle = await this.#start(client, name);
    const address = this.#addressOf(handle);
    progress.note(`${this.#title()}\n${address ?? ''}`.trimEnd());

    const following = new AbortController();
    const result = followRun(client, handle, command.workflowType, {
      onStatus: (status) => progress.show(status),
      signal: following.signal,
    });
    const interrupted = untilAborted(interrupts.first).then(() => 'interrupted' as const);
    try {
      const outcome = await Promise.race([result, stack.broken, interrupted]);
      progress.stop();
      if (outcome === 'interrupted') return await this.#handleInterrupt(handle, result);
      const report = await command.finish(outcome, staging, Date.now() - startedAtMs);
      process.stdout.write(`${report}\n${this.#whereToLook(address)}`);
      return command.isComplete?.(outcome) === false ? 1 : 0;
    } catch (error) {
      progress.stop();
      await this.#explain(handle, error);
      return 1;
    } finally {
      following.abort();
      await Promise.race([result.catch(() => undefined), delay(abortTimeoutMs, undefined, { ref: false })]);
    }
  }

  async #start(client: Client, workflowId: string): Promise<RunHandle> {
    const { command, settings, stack, staging } = this.#parts;
    const { source, workflowType } = command;
    if (source.kind === 'file' && stack.kind !== 'attached' && !stack.started.includes('container')) {
      await assertReadsFrom(stack.facts.mediaRoot, stack.facts.containerUrls, settings.containers.token);
    }
    const sourceUrl = source.kind === 'file' ? await staging.addSource(source.path) : source.url;
    return await startRun(client, {
      workflowType,
      workflowId,
      taskQueue: stack.facts.taskQueue,
      input: inputOf(command, sourceUrl, staging),
      summary: this.#title(),
      details: `Started by \`npm run ${command.name}\` on the source \`${showSource(source)}\`.`,
    });
  }

  #title(): string {
    const { source, target } = this.#parts.command;
    return `${source.kind === 'file' ? (source.path.split('/').at(-1) ?? '') : showSource(source)} → ${target}`;
  }

  #addressOf(handle: { workflowId: string; firstExecutionRunId: string }): string | undefined {
    const { uiUrl, namespace } = this.#parts.stack.facts;
    return uiUrl === undefined
      ? undefined
      : buildRunUrl(uiUrl, namespace, handle.workflowId, handle.firstExecutionRunId);
  }

  #whereToLook(address: string | undefined): string {
    const { stack } = this.#parts;
    if (address === undefined) return '';
    const endsWithUs = stack.kind === 'own' && stack.started.includes('temporal');
    return `\nThe run in Temporal's Web UI${endsWithUs ? ', when `npm start` runs' : ''}:\n  ${address}\n`;
  }

  /** Where nothing would work on the run any more it is cancelled, else it goes on without this command. */
  async #handleInterrupt(handle: RunHandle, result: Promise<unknown>): Promise<number> {
    const { command, settings, stack, staging, progress, interrupts } = this.#parts;
    const cliPath = settings.temporal.cliPath ?? 'temporal';
    const address = this.#addressOf(handle);
    const goesOn = stack.kind === 'external' || (stack.kind === 'attached' && stack.facts.command === 'start');
    if (goesOn) {
      await staging.keep();
      progress.note(
        [
          `Detached: the run ${handle.workflowId} goes on without this command.`,
          ...(address === undefined ? [] : [`  Look at it:  ${address}`]),
          ...(writesLocally(command, staging) ? [`  Its files:   ${staging.outputFolder}`] : []),
          `  Cancel it:   ${cliPath} workflow cancel --address ${stack.facts.temporalAddress} --workflow-id ${handle.workflowId}`,
        ].join('\n'),
      );
      return interrupts.exitCode;
    }
    progress.note('Cancelling the run, as what works on it ends with this command (Ctrl-C again stops at once) …');
    await handle.cancel();
    await Promise.race([
      result.catch(() => undefined),
      stack.broken.catch(() => undefined),
      delay(cancelTimeoutMs, undefined, { ref: false }),
    ]);
    progress.note('Cancelled. No file was written.');
    return interrupts.exitCode;
  }

  async #explain(handle: WorkflowHandle, error: unknown): Promise<void> {
    const { command, stack, progress } = this.#parts;
    const { describeFailure, isAddressForbidden } = await import('../../client/failure.ts');
    const what = error instanceof CliError ? '' : `${this.#title()} failed.\n`;
    progress.note(`${what}${describeFailure(error)}`);
    if (isAddressForbidden(error) && command.source.kind === 'url') {
      progress.note(
        'To let the container reach an address of your own network, name it in ALLOW_PRIVATE_ADDRESSES (a list of hosts or CIDRs).',
      );
    }
    const { WorkflowFailedError } = await import('@temporalio/client');
    if (!(error instanceof WorkflowFailedError) && stack.kind === 'own') {
      // A part of the stack died. Nothing works on the run any more, and the next stack must not take it up unasked.
      await handle.terminate('The command that started it could not go on.').catch(() => undefined);
    }
  }
}

function inputOf<Type extends WorkflowType>(
  { workflowType, buildInput }: WorkflowCommand<Type>,
  sourceUrl: string,
  staging: Staging,
): WorkflowInputs[Type] {
  return parseInput(workflowType, buildInput(sourceUrl, staging));
}

function writesLocally({ buildInput }: Pick<WorkflowCommand<WorkflowType>, 'buildInput'>, staging: Staging): boolean {
  return JSON.stringify(buildInput('file:///source', staging)).includes(staging.outputPrefix);
}

function showSource(source: NamedSource): string {
  return source.kind === 'file' ? source.path : redactUrl(source.url);
}
