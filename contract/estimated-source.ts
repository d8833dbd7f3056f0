import { definedFields } from './defined-fields.ts';
import type { MetadataResult } from './http/metadata.ts';
import type { EstimatedSource } from './server/estimate.ts';

/** The facts of a source that has been inspected. `bytes`: size of the file, if it is known. */
export function estimatedSourceOf({ duration, streams }: MetadataResult, bytes: number | undefined): EstimatedSource {
  const pictures = streams.find(({ type }) => type === 'video');
  const sound = streams.find(({ type }) => type === 'audio');
  const { width, height, fps } = pictures ?? {};
  const { channels, sampleRate } = sound ?? {};
  return { duration, ...definedFields({ bytes, width, height, fps, channels, sampleRate }) };
}
