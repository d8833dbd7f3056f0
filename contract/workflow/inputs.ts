import type { ChunkingInput } from './chunking.ts';
import type { EncodeInput } from './encode.ts';
import type { ProcessingInput } from './processing.ts';

/** The one argument of each workflow type. */
export interface WorkflowInputs {
  encode: EncodeInput;
  chunking: ChunkingInput;
  processing: ProcessingInput;
}
export type WorkflowType = keyof WorkflowInputs;
