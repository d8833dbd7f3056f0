import { countJsonValues } from '../contract/json-values.ts';
import { parseJson } from '../contract/unknown-values.ts';

/** The largest answer of a provider, 16 MiB with voices, has 1.7 million values. The same number of `{}` takes 100 MB. */
export const mostAnswerValues = 2_000_000;

/**
 * Parses text of a provider or a store, which may be anything. Undefined for text that is not JSON, or has so many
 * values that they would fill the memory of the worker.
 */
export function parseBoundedJson(text: string, mostValues = mostAnswerValues): unknown {
  return countJsonValues(Buffer.from(text)) > mostValues ? undefined : parseJson(text);
}
