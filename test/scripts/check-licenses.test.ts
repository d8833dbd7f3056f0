import { expect, test } from 'vitest';
import { refusedPackages } from '../../scripts/check-licenses.mjs';

/** Refusals of one package with this licence. */
function refused(license: string | undefined, { dev = false, name = 'some' } = {}): string[] {
  const path = `node_modules/@scope/other/node_modules/${name}`;
  return refusedPackages({ packages: { '': {}, [path]: { dev } } }, () => license);
}

test.each(['MIT', '(MIT OR GPL-3.0-only)', 'GPL-2.0-only OR BSD-3-Clause', 'Apache-2.0 AND MIT'])(
  'a package under %s may be used',
  (license) => expect(refused(license)).toEqual([]),
);

test.each(['GPL-3.0-only', 'AGPL-3.0', 'MIT AND GPL-2.0-only', 'none', 'SEE LICENSE IN README.md', 'MIT-like', ''])(
  'a package under "%s" is refused, by its name',
  (license) => expect(refused(license)).toEqual([`some: ${license}`]),
);

test('a licence that asks for published changes is allowed in development alone', () => {
  expect(refused('MPL-2.0', { dev: true })).toEqual([]);
  expect(refused('MPL-2.0')).toEqual(['some: MPL-2.0']);
});

test('a package that is not installed, such as one for another system, is not checked', () => {
  expect(refused(undefined)).toEqual([]);
});
