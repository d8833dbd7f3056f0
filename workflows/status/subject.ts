import { outputLabel } from '../../contract/output-label.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import type { ChunkingInput } from '../../contract/workflow/chunking.ts';
import type { EncodeInput } from '../../contract/workflow/encode.ts';
import type { ProcessingInput } from '../../contract/workflow/processing.ts';

export function formatsOf(outputs: EncodeInput['outputs']): string {
  return outputs.map(outputLabel).join('+');
}

export function encodeSubject(input: EncodeInput): string {
  return `${redactUrl(input.sourceUrl)} → ${formatsOf(input.outputs)}`;
}

export function chunkingSubject(input: ChunkingInput, chunkDuration: number): string {
  const target = input.uploadUrlPrefix === undefined ? '' : ` under ${redactUrl(input.uploadUrlPrefix)}`;
  return `${redactUrl(input.sourceUrl)} → ${chunkDuration} s chunks${target}`;
}

export function processingSubject(input: ProcessingInput, format: string, chunkDuration: number): string {
  return `${redactUrl(input.sourceUrl)} → ${format}, ${chunkDuration} s chunks under ${redactUrl(input.uploadUrlPrefix)}`;
}
