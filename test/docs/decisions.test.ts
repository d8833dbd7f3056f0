import { expect, test } from 'vitest';
import { filesIn, headingsOf, textOf } from './documents.ts';

const pages = filesIn('docs/decisions').filter((path) => !path.endsWith('/README.md'));

test('the index of decisions links every page by its title', () => {
  const index = textOf('docs/decisions/README.md');
  const missing = pages.filter((path) => {
    const [title] = headingsOf(textOf(path));
    return !index.includes(`[${title?.text}](${path.replace('docs/decisions/', '')})`);
  });
  expect(missing).toEqual([]);
});
