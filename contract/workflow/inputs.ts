import type { z } from 'zod';
import { ChunkingInput } from './chunking.ts';
import { EncodeInput } from './encode.ts';
import { ProcessingInput } from './processing.ts';

/** The single argument of each workflow type. */
export interface WorkflowInputs {
  encode: EncodeInput;
  chunking: ChunkingInput;
  processing: ProcessingInput;
}
export type WorkflowType = keyof WorkflowInputs;

export const inputSchemas: { [Type in WorkflowType]: z.ZodType<WorkflowInputs[Type]> } = {
  encode: EncodeInput,
  chunking: ChunkingInput,
  processing: ProcessingInput,
};
