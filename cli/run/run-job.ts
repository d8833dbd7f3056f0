import type { Client, WorkflowHandle } from '@temporalio/client';
import { redactUrl } from '../../contract/shown-url.ts';
import type { WorkflowInputs, WorkflowType } from '../../contract/workflow/inputs.ts';
import { CliError } from '../cli-error.ts';
import type { Source } from '../media/source.ts';
import { Staging, sweepStaging } from '../media/staging.ts';
import { progressOn, type Progress } from '../progress/progress.ts';
import type { Settings } from '../settings.ts';
import { openStack } from '../stack/open-stack.ts';
import type { Stack } from '../stack/stack.ts';
import { runUrl } from '../stack/web-ui.ts';
import { follow } from './follow.ts';
import { aborted, Interrupts } from './interrupts.ts';
import { assertReadsFrom } from './media-check.ts';
import { runName } from './run-name.ts';

/** What distinguishes the three commands that run one workflow. */
export interface Job<Type extends WorkflowType> {
  /** Of `npm run …` */
  command: 'encode' | 'chunk' | 'process';
  workflowType: Type;
  source: Source;
  /** "mp3_128 + opus_24" */
  target: string;
  /** Checked against the contract's schema; throws a CliError. */
  input(sourceUrl: string, staging: Staging): WorkflowInputs[Type];
  /** Puts the outputs in their place and gives the lines to print. */
  finish(outcome: unknown, staging: Staging, tookMs: number): Promise<string>;
  /** Where a run may end well and still not have done all that was asked. */
  succeeded?(outcome: unknown): boolean;
}

/** How long a run may take to end after it was cancelled; its ffmpeg is gone within ten. */
const cancelMs = 30_000;

/** One command from its first look at what runs to its exit code. */
export async function runJob<Type extends WorkflowType>(job: Job<Type>, settings: Settings): Promise<number> {
  const startedAtMs = Date.now();
  // What the contract refuses is refused before anything starts.
  job.input('file:///source', new Staging(settings.mediaRoot, 'run'));
  const interrupts = new Interrupts();
  const progress = progressOn(process.stderr);
  const stack = await openStack({
    settings,
    command: job.command,
    say: (sentence) => progress.note(sentence),
    signal: interrupts.first,
    waitForWorker: false,
  });
  const name = runName(job.workflowType, job.source.name);
  const staging = new Staging(stack.facts.mediaRoot, name);
  const stopAtOnce = async () => {
    progress.stop();
    stack.kill();
    await staging.removeUnlessKept();
    process.exit(interrupts.exitCode);
  };
  void aborted(interrupts.second).then(stopAtOnce);
  try {
    void sweepStaging(stack.facts.mediaRoot);
    await staging.create();
    const run = new JobRun({ job, settings, stack, staging, progress, interrupts, startedAtMs });
    return await run.toItsEnd(name);
  } finally {
    progress.stop();
    await staging.removeUnlessKept();
    // Once the run is over there is nothing left that a first Ctrl-C could ask for more gently.
    if (!interrupts.first.aborted) void aborted(interrupts.first).then(stopAtOnce);
    await stack.close((sentence) => {
      if (sentence.includes('still uses')) progress.note(sentence);
    });
  }
}

interface JobRunParts<Type extends WorkflowType> {
  job: Job<Type>;
  settings: Settings;
  stack: Stack;
  staging: Staging;
  progress: Progress;
  interrupts: Interrupts;
  startedAtMs: number;
}

class JobRun<Type extends WorkflowType> {
  readonly #parts: JobRunParts<Type>;

  constructor(parts: JobRunParts<Type>) {
    this.#parts = parts;
  }

  async toItsEnd(name: string): Promise<number> {
    const { job, stack, staging, progress, interrupts, startedAtMs } = this.#parts;
    const { clientOf } = await import('../temporal.ts');
    const client = clientOf(stack.connection, stack.facts.namespace);
    const handle = await this.#start(client, name);
    const address = this.#addressOf(handle);
    progress.note(`${this.#title()}\n${address ?? ''}`.trimEnd());

    const result = follow(client, handle, progress, job.workflowType !== 'processing');
    const interrupted = aborted(interrupts.first).then(() => 'interrupted' as const);
    try {
      const outcome = await Promise.race([result, stack.broken, interrupted]);
      progress.stop();
      if (outcome === 'interrupted') return await this.#interrupted(handle, result);
      const report = await job.finish(outcome, staging, Date.now() - startedAtMs);
      process.stdout.write(`${report}\n${this.#whereToLook(address)}`);
      return job.succeeded?.(outcome) === false ? 1 : 0;
    } catch (error) {
      progress.stop();
      await this.#explain(handle, error);
      return 1;
    }
  }

  async #start(client: Client, workflowId: string): Promise<WorkflowHandle & { firstExecutionRunId: string }> {
    const { job, settings, stack, staging } = this.#parts;
    const { source } = job;
    if (source.kind === 'file' && stack.kind !== 'guest' && !stack.started.includes('container')) {
      await assertReadsFrom(stack.facts.mediaRoot, stack.facts.containerUrls, settings.containers.token);
    }
    const sourceUrl = source.kind === 'file' ? await staging.addSource(source.path) : source.url;
    return await client.workflow.start(job.workflowType, {
      taskQueue: stack.facts.taskQueue,
      workflowId,
      args: [job.input(sourceUrl, staging)],
      staticSummary: this.#title(),
      staticDetails: `Started by \`npm run ${job.command}\` on the source \`${shownSource(source)}\`.`,
    });
  }

  #title(): string {
    const { source, target } = this.#parts.job;
    return `${source.kind === 'file' ? (source.path.split('/').at(-1) ?? '') : shownSource(source)} → ${target}`;
  }

  #addressOf(handle: { workflowId: string; firstExecutionRunId: string }): string | undefined {
    const { uiUrl, namespace } = this.#parts.stack.facts;
    return uiUrl === undefined ? undefined : runUrl(uiUrl, namespace, handle.workflowId, handle.firstExecutionRunId);
  }

  #whereToLook(address: string | undefined): string {
    const { stack } = this.#parts;
    if (address === undefined) return '';
    const endsWithUs = stack.kind === 'own' && stack.started.includes('temporal');
    return `\nThe run in Temporal's Web UI${endsWithUs ? ', when `npm start` runs' : ''}:\n  ${address}\n`;
  }

  /** Where nothing is left that could go on with the run, it is cancelled; else it goes on without us. */
  async #interrupted(
    handle: WorkflowHandle & { firstExecutionRunId: string },
    result: Promise<unknown>,
  ): Promise<number> {
    const { job, settings, stack, staging, progress, interrupts } = this.#parts;
    const cliPath = settings.temporal.cliPath ?? 'temporal';
    const address = this.#addressOf(handle);
    const goesOn = stack.kind === 'elsewhere' || (stack.kind === 'guest' && stack.facts.command === 'start');
    if (goesOn) {
      await staging.keep();
      progress.note(
        [
          `Detached: the run ${handle.workflowId} goes on without this command.`,
          ...(address === undefined ? [] : [`  Look at it:  ${address}`]),
          ...(writesLocally(job, staging) ? [`  Its files:   ${staging.outputFolder}`] : []),
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
      new Promise((resolve) => setTimeout(resolve, cancelMs).unref()),
    ]);
    progress.note('Cancelled. No file was written.');
    return interrupts.exitCode;
  }

  async #explain(handle: WorkflowHandle, error: unknown): Promise<void> {
    const { job, stack, progress } = this.#parts;
    const { failureSentence, isForbidden } = await import('./failure.ts');
    const what = error instanceof CliError ? '' : `${this.#title()} failed.\n`;
    progress.note(`${what}${failureSentence(error)}`);
    if (isForbidden(error) && job.source.kind === 'url') {
      progress.note(
        'To let the container reach an address of your own network, name it in ALLOW_PRIVATE_ADDRESSES (a list of hosts or CIDRs).',
      );
    }
    const { WorkflowFailedError } = await import('@temporalio/client');
    if (!(error instanceof WorkflowFailedError) && stack.kind === 'own') {
      // A part of the stack died: nothing will work on the run, and it must not start again by itself one day.
      await handle.terminate('The command that started it could not go on.').catch(() => undefined);
    }
  }
}

function writesLocally(job: Job<WorkflowType>, staging: Staging): boolean {
  return JSON.stringify(job.input('file:///source', staging)).includes(staging.outputPrefix);
}

function shownSource(source: Source): string {
  return source.kind === 'file' ? source.path : redactUrl(source.url);
}
