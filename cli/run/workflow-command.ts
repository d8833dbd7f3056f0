import type { Staging } from '../../client/staging.ts';
import type { WorkflowOutcomes } from '../../client/workflow-schemas.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import type { NamedSource } from '../media/named-source.ts';
import type { CompanionFile } from '../media/tag-arguments.ts';
import type { DeliveryPlan, RunDelivery } from '../media/run-delivery.ts';
import type { Stack } from '../stack/stack.ts';
import type { RunSummary } from './run-report.ts';

/** The differences between the commands that run workflows. */
export interface WorkflowCommand<Type extends WorkflowType> {
  name: 'encode' | 'chunk' | 'process' | 'inspect';
  workflowType: Type;
  /** Runs once on the open stack, before the first run. */
  prepare?(stack: Stack, say: (sentence: string) => void): Promise<void>;
  /** Delivers the outputs and returns the lines to print. */
  deliver(outcome: WorkflowOutcomes[Type], delivery: RunDelivery, tookMs: number): Promise<string>;
  /** Receives each status of a run while it is followed. */
  observe?(delivery: RunDelivery, status: WorkflowStatus): void;
  /** Adds to the table of several runs. */
  summarize?(outcome: WorkflowOutcomes[Type]): RunSummary;
  /** Replaces the workflow's result in `--json`; called before the outputs are moved. */
  resultOf?(outcome: WorkflowOutcomes[Type], delivery: RunDelivery): Promise<unknown>;
  /** False if a successful run is incomplete. */
  isComplete?(outcome: WorkflowOutcomes[Type]): boolean;
}

const waitingCommands: Record<WorkflowType, WorkflowCommand<WorkflowType>['name']> = {
  encode: 'encode',
  chunking: 'chunk',
  processing: 'process',
};

/** The command whose `--wait` writes the files of a run. */
export function waitingCommand({ workflowType }: { workflowType: WorkflowType }): string {
  return waitingCommands[workflowType];
}

/** A source with its planned run. */
export interface RunTask {
  source: NamedSource;
  /** "mp3_128 + opus_24" */
  target: string;
  delivery: DeliveryPlan;
  /** Further local files that the input links to. */
  companions?: readonly CompanionFile[];
  /** `buildInput` needs the duration of the source, which a container must measure first. */
  isPreview?: boolean;
  /** The workflow's input without the common fields, not yet validated. `seconds`: duration of the source of a preview. */
  buildInput(sourceUrl: string, staging: Staging, seconds: number): object;
}

/** A source whose outputs already exist. */
export interface SkippedTask {
  source: NamedSource;
  target: string;
  /** Why the source is skipped. */
  skipped: string;
}

/** Options about the files of a command. */
export interface FileOptions {
  out?: string;
  overwrite: boolean;
  skipExisting: boolean;
  recursive: boolean;
  json: boolean;
}

/** Options about each run of a command. */
export interface PolicyOptions {
  owner?: string;
  /** 1 to 5 */
  priority?: number;
  fairnessKey?: string;
  fairnessWeight?: number;
  /** Retry settings in seconds. */
  retryMaxTime?: number;
  retryBaseDelay?: number;
  retryMaxDelay?: number;
  retryBuffer?: number;
}

/** Options of `encode`, `chunk` and `process`. */
export interface RunOptions extends FileOptions, PolicyOptions {
  workflowId?: string;
  /** Exit once the runs are started. */
  detach: boolean;
  /** Ids of earlier runs to wait for and deliver, instead of starting new ones. */
  wait?: string[];
}

/** Fields that all workflow inputs share. */
export function commonInputOf(options: PolicyOptions): CommonInput {
  const { owner, priority, fairnessKey, fairnessWeight } = options;
  return definedFields({ owner, priority, fairnessKey, fairnessWeight, retry: retryOverridesOf(options) });
}

function retryOverridesOf(options: PolicyOptions): CommonInput['retry'] {
  const { retryMaxTime: maxRetryTime, retryBaseDelay: baseDelay, retryMaxDelay: maxDelay, retryBuffer } = options;
  const overrides = Object.entries({ maxRetryTime, baseDelay, maxDelay, retryBuffer });
  const given = overrides.filter(([, seconds]) => seconds !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
