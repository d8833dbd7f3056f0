import { expect, test } from 'vitest';
import { laterTexts } from '../../../page/later-texts.ts';

const { cancel, selection } = laterTexts;

test('the question before a cancel names how many runs it cancels', () => {
  expect([1, 2, 47].map(cancel.question)).toEqual(['Cancel this run?', 'Cancel 2 runs?', 'Cancel 47 runs?']);
  expect([1, 47].map(cancel.confirm)).toEqual(['Cancel the run', 'Cancel 47 runs']);
});

test.each([
  [1, 'cancel', '1 run is being cancelled.', '1 run was not cancelled: gone'],
  [3, 'cancel', '3 runs are being cancelled.', '3 runs were not cancelled: gone'],
  [1, 'rerun', '1 run started again.', '1 run was not started again: gone'],
  [3, 'rerun', '3 runs started again.', '3 runs were not started again: gone'],
] as const)('the outcome for %i runs of “%s” is a sentence', (count, action, done, refused) => {
  expect(selection.done(count, action)).toBe(done);
  expect(selection.refused(count, action, 'gone')).toBe(refused);
});
