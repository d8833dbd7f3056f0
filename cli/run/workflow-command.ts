import type { Staging } from '../../client/staging.ts';
import type { WorkflowOutcomes } from '../../client/workflow-schemas.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import type { NamedSource } from '../media/named-source.ts';
import type { CompanionFile } from '../media/tag-arguments.ts';
import type { DeliveryPlan, RunDelivery } from '../media/run-delivery.ts';
import type { RunSummary } from './run-report.ts';

/** What distinguishes the commands that run workflows. */
export interface WorkflowCommand<Type extends WorkflowType> {
  /** Of `npm run …` */
  name: 'encode' | 'chunk' | 'process' | 'inspect';
  workflowType: Type;
  /** Puts the outputs in their place and gives the lines to print. */
  deliver(outcome: WorkflowOutcomes[Type], delivery: RunDelivery, tookMs: number): Promise<string>;
  /** What the table of many runs is to say of this one besides. */
  summarize?(outcome: WorkflowOutcomes[Type]): RunSummary;
  /** What `--json` tells in place of the workflow's result, before the outputs are moved. */
  resultOf?(outcome: WorkflowOutcomes[Type], delivery: RunDelivery): Promise<unknown>;
  /** Whether the run has done all that was asked; without it, every run that ends well has. */
  isComplete?(outcome: WorkflowOutcomes[Type]): boolean;
}

/** The command that waits for a run that another one has left, and brings its files. */
export function waitingCommand({
  name,
  workflowType,
}: Pick<WorkflowCommand<WorkflowType>, 'name' | 'workflowType'>): string {
  return name === 'inspect' ? workflowType : name;
}

/** One source of a command, with what is to become of it. */
export interface RunTask {
  source: NamedSource;
  /** "mp3_128 + opus_24" */
  target: string;
  delivery: DeliveryPlan;
  /** Of this machine, that its input links to besides. */
  companions?: readonly CompanionFile[];
  /** The workflow's input but for what all workflows take, not yet checked against the contract. */
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
  owner?: string;
  /** 1 to 5 */
  priority?: number;
  fairnessKey?: string;
  fairnessWeight?: number;
  /** seconds */
  retryMaxTime?: number;
  /** seconds */
  retryBaseDelay?: number;
  /** seconds */
  retryMaxDelay?: number;
  /** seconds */
  retryBuffer?: number;
}

/** What the options say of an input's fields that all workflows have. */
export function commonInputOf(options: RunOptions): CommonInput {
  const { owner, priority, fairnessKey, fairnessWeight } = options;
  return definedFields({ owner, priority, fairnessKey, fairnessWeight, retry: retryOverridesOf(options) });
}

function retryOverridesOf(options: RunOptions): CommonInput['retry'] {
  const { retryMaxTime: maxRetryTime, retryBaseDelay: baseDelay, retryMaxDelay: maxDelay, retryBuffer } = options;
  const overrides = Object.entries({ maxRetryTime, baseDelay, maxDelay, retryBuffer });
  const given = overrides.filter(([, seconds]) => seconds !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
