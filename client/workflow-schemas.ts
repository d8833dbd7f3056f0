import type { z } from 'zod';
import { ChunkingOutcome } from '../contract/workflow/chunking.ts';
import { EncodeOutcome } from '../contract/workflow/encode.ts';
import { inputSchemas, type WorkflowInputs, type WorkflowType } from '../contract/workflow/inputs.ts';
import { ProcessingOutcome } from '../contract/workflow/processing.ts';
import { ClientError } from './client-error.ts';

export interface WorkflowOutcomes {
  encode: EncodeOutcome;
  chunking: ChunkingOutcome;
  processing: ProcessingOutcome;
}

const outcomes: { [Type in WorkflowType]: z.ZodType<WorkflowOutcomes[Type]> } = {
  encode: EncodeOutcome,
  chunking: ChunkingOutcome,
  processing: ProcessingOutcome,
};

/** Parses a workflow's input; throws a ClientError that names the invalid fields. */
export function parseInput<Type extends WorkflowType>(workflowType: Type, input: unknown): WorkflowInputs[Type] {
  const parsed = inputSchemas[workflowType].safeParse(input);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const sentences = fields.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  throw new ClientError({ kind: 'invalid_input', fields }, `Invalid input: ${sentences.join('; ')}.`);
}

export function parseOutcome<Type extends WorkflowType>(workflowType: Type, outcome: unknown): WorkflowOutcomes[Type] {
  return outcomes[workflowType].parse(outcome);
}
