import type { EstimateView } from '../../contract/server/estimate.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { costWords } from './cost-words.ts';
import { formatBytes, formatSpan } from './format.ts';

/**
 * `About 2 min 10 s · 34.0 MB · 0.001 EUR, from 5 past runs`; undefined without past runs. Only the sizes of the first
 * `results` outputs count.
 */
export function estimateWords(
  { runs, seconds, sizes = [], cost, currency }: EstimateView,
  results: number,
): string | undefined {
  if (seconds === undefined) return undefined;
  const bytes = sizes.slice(0, results).reduce((sum, size) => sum + size, 0);
  const facts = [
    formatSpan(seconds),
    formatBytes(bytes),
    ...(cost === undefined ? [] : [costWords(cost, currency ?? '')]),
  ];
  return chooserTexts.estimate.words(facts.join(' · '), runs);
}
