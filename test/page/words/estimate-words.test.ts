import { expect, test } from 'vitest';
import { estimateWords } from '../../../page/words/estimate-words.ts';

test.each([
  [{ runs: 0 }, undefined],
  [{ runs: 1, seconds: 130.2, sizes: [34_000_000, 1000] }, 'About 2 min 10 s · 34.0 MB, from 1 past run'],
  [
    { runs: 7, seconds: 4, sizes: [5_000_000], cost: 0.000123, currency: 'EUR' },
    'About 4 s · 5.0 MB · 0.0001 EUR, from 7 past runs',
  ],
  [
    { runs: 7, seconds: 4, sizes: [5_000_000], cost: 0, currency: 'EUR' },
    'About 4 s · 5.0 MB · 0 EUR, from 7 past runs',
  ],
  [
    { runs: 7, seconds: 4, sizes: [5_000_000], cost: 1.234, currency: 'EUR' },
    'About 4 s · 5.0 MB · 1.23 EUR, from 7 past runs',
  ],
])('shows the estimate %j of one result and its pictures', (estimate, words) => {
  expect(estimateWords(estimate, 1)).toBe(words);
});
