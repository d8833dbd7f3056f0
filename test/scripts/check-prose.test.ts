import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judge, startsMidClause, startsWithPreposition } from '../../scripts/check-prose.mjs';
import { testFolder } from '../support/folder.ts';

test.each([
  'Of its history, which is read whole.',
  'By each second a lease is renewed.',
  'In milliseconds.',
  'To the end.',
])('the doc comment "%s" starts with a bare preposition', (comment) =>
  expect(startsWithPreposition(comment)).toBe(true),
);

test.each(['Events of the run.', 'In-flight requests.', 'About 3 s of sound.', 'Up to 10 parts.', '`of` an array.'])(
  'the doc comment "%s" has a subject',
  (comment) => expect(startsWithPreposition(comment)).toBe(false),
);

test.each([
  ...['that is not there says which of the two it is', 'what is clipped is counted', 'whose length is not declared'],
  ...[
    'of its history, the end is read',
    'with a cover of many megabytes gets a smaller one',
    'as an SVG is well-formed',
  ],
  ...['after a restart, and only then', 'where nobody needs a token all places are free'],
])('the test name "%s" starts mid-clause', (name) => expect(startsMidClause(name)).toBe(true));

test.each([
  ...[
    'rejects an upload whose length is not declared',
    'a lease ends',
    'after a restart, the job goes on',
    '%s is refused',
  ],
  ...['in a browser, plays from the start', 'when the container drains, its job ends', 'inspect reads one file'],
])('the test name "%s" is a sentence', (name) => expect(startsMidClause(name)).toBe(false));

test('each offence is listed with its file and line', async () => {
  const folder = testFolder();
  const long = 'x'.repeat(161);
  await writeFile(
    join(folder, 'a.test.ts'),
    "/**\n * Of a job.\n */\ntest.skipIf(f())(\n  'that ends',\n  () => {},\n);\n",
  );
  await writeFile(join(folder, 'b.md'), `${long}\n| ${long} |\n\`\`\`\n${long}\n\`\`\`\n`);
  const { offences } = judge([folder]);
  const places = Object.values(offences).flatMap((offence) =>
    offence.places.map((place) => place.replace(/^.*\//, '')),
  );
  expect(places).toEqual(['a.test.ts:1 Of a job.', 'a.test.ts:5 that ends', 'b.md:1 161 characters']);
});
