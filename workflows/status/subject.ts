import type { ChunkingInput } from '../../contract/workflow/chunking.ts';
import type { EncodeInput } from '../../contract/workflow/encode.ts';
import type { ProcessingInput } from '../../contract/workflow/processing.ts';

/** What a person reads about the input in the Web UI: a presigned URL's query string is a secret, and so is a password in a URL. */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
}

export function formatsOf(outputs: readonly { format: string }[]): string {
  return outputs.map((output) => output.format).join('+');
}

export function encodeSubject(input: EncodeInput): string {
  return `${shownUrl(input.sourceUrl)} → ${formatsOf(input.outputs)}`;
}

export function chunkingSubject(input: ChunkingInput, chunkDuration: number): string {
  const target = input.uploadUrlPrefix === undefined ? '' : ` under ${shownUrl(input.uploadUrlPrefix)}`;
  return `${shownUrl(input.sourceUrl)} → ${chunkDuration} s chunks${target}`;
}

export function processingSubject(input: ProcessingInput, format: string, chunkDuration: number): string {
  return `${shownUrl(input.sourceUrl)} → ${format}, ${chunkDuration} s chunks under ${shownUrl(input.uploadUrlPrefix)}`;
}
