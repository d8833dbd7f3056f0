import type { Staging } from '../../client/staging.ts';
import type { WorkflowOutcomes } from '../../client/workflow-schemas.ts';
import type { RetryOverrides } from '../../contract/workflow/retry.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import type { NamedSource } from '../media/named-source.ts';
import type { DeliveryPlan, RunDelivery } from '../media/run-delivery.ts';

/** What distinguishes the three commands that run workflows. */
export interface WorkflowCommand<Type extends WorkflowType> {
  /** Of `npm run …` */
  name: 'encode' | 'chunk' | 'process';
  workflowType: Type;
  /** Puts the outputs in their place and gives the lines to print. */
  deliver(outcome: WorkflowOutcomes[Type], delivery: RunDelivery, tookMs: number): Promise<string>;
  /** Whether the run has done all that was asked; without it, every run that ends well has. */
  isComplete?(outcome: WorkflowOutcomes[Type]): boolean;
}

/** One source of a command, with what is to become of it. */
export interface RunTask {
  source: NamedSource;
  /** "mp3_128 + opus_24" */
  target: string;
  delivery: DeliveryPlan;
  /** The workflow's input but for `retry`, not yet checked against the contract. */
  buildInput(sourceUrl: string, staging: Staging): object;
}

/** A source whose outputs are there already. */
export interface SkippedTask {
  source: NamedSource;
  target: string;
  /** Why. */
  skipped: string;
}

/** What the three commands take alike. */
export interface RunOptions {
  out?: string;
  overwrite: boolean;
  skipExisting: boolean;
  recursive: boolean;
  workflowId?: string;
  /** End when the runs have been started. */
  detach: boolean;
  /** Ids of runs that were started before: waited for and delivered, instead of new ones. */
  wait?: string[];
  json: boolean;
  /** seconds */
  retryMaxTime?: number;
  /** seconds */
  retryBaseDelay?: number;
  /** seconds */
  retryMaxDelay?: number;
  /** seconds */
  retryBuffer?: number;
}

export function retryOverridesOf(options: RunOptions): RetryOverrides | undefined {
  const { retryMaxTime: maxRetryTime, retryBaseDelay: baseDelay, retryMaxDelay: maxDelay, retryBuffer } = options;
  const overrides = Object.entries({ maxRetryTime, baseDelay, maxDelay, retryBuffer });
  const given = overrides.filter(([, seconds]) => seconds !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
