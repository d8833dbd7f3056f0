import type { EncodeResult } from '../../contract/http/encode.ts';
import { describeLoudness } from '../../contract/loudness-text.ts';
import { outputLabel } from '../../contract/output-label.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import type { ChunkingInput } from '../../contract/workflow/chunking.ts';
import type { EncodeInput } from '../../contract/workflow/encode.ts';
import type { ProcessingInput } from '../../contract/workflow/processing.ts';

/** Description of a run without secrets. */
export interface RunSubject {
  text: string;
  /** Name of the original file, or the URL. */
  source: string;
  formats: readonly string[];
  owner?: string | undefined;
}

export function formatsOf(outputs: EncodeInput['outputs']): string {
  return outputs.map(outputLabel).join('+');
}

export function encodeSubject({ sourceUrl, sourceName, outputs, owner }: EncodeInput): RunSubject {
  const source = sourceName ?? redactUrl(sourceUrl);
  const formats = outputs.map(outputLabel);
  return { text: `${source} → ${formatsOf(outputs)}`, source, formats, owner };
}

/** Measured loudness before and after, for each output with a loudness target. */
export function loudnessFindings(outputs: EncodeResult['outputs']): string[] {
  return outputs.flatMap((output) =>
    output.loudness === undefined ? [] : [`${outputLabel(output)}: ${describeLoudness(output.loudness).join('. ')}`],
  );
}

export function chunkingSubject(
  { sourceUrl, sourceName, uploadUrlPrefix, owner }: ChunkingInput,
  chunkDuration: number,
): RunSubject {
  const source = sourceName ?? redactUrl(sourceUrl);
  const target = uploadUrlPrefix === undefined ? '' : ` under ${redactUrl(uploadUrlPrefix)}`;
  return { text: `${source} → ${chunkDuration} s chunks${target}`, source, formats: [], owner };
}

export function processingSubject(
  { sourceUrl, sourceName, uploadUrlPrefix, owner }: ProcessingInput,
  format: string,
  chunkDuration: number,
): RunSubject {
  const source = sourceName ?? redactUrl(sourceUrl);
  const text = `${source} → ${format}, ${chunkDuration} s chunks under ${redactUrl(uploadUrlPrefix)}`;
  return { text, source, formats: [format], owner };
}
