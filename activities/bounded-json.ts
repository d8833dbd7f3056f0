import { type JsonSize, measureJson } from '../contract/json-values.ts';
import { parseJson } from '../contract/unknown-values.ts';

/**
 * Most values of a provider's answer, and its greatest depth. The largest answer, 16 MiB with voices, has 1.7 million
 * values; the same number of `{}` takes 100 MB. `JSON.stringify` of Node 24 fails at 5,000 nested lists.
 */
export const answerLimits: JsonSize = { values: 2_000_000, depth: 1_000 };

/**
 * Parses text of a provider or a store, which may be anything. Undefined for text that is not JSON, has so many values
 * that they would fill the memory of the worker, or nests them so deeply that they could not be written again.
 */
export function parseBoundedJson(text: string, limits = answerLimits): unknown {
  const { values, depth } = measureJson(Buffer.from(text));
  return values > limits.values || depth > limits.depth ? undefined : parseJson(text);
}
