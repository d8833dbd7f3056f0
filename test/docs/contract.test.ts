import { describe, expect, test } from 'vitest';
import { statusByErrorCode } from '../../contract/error-codes.ts';
import { audioCodecs, containers } from '../../contract/formats.ts';
import { headingsOf, sectionOf, textOf } from './documents.ts';

const page = textOf('docs/contract.md');

describe('docs/contract.md', () => {
  test('has the headings that comments in the code cite', () => {
    const headings = headingsOf(page).filter(({ level }) => level === 2);
    expect(headings.map(({ text }) => text)).toEqual([
      ...['Admission', 'Endpoints', 'Encode', 'Chunk', 'URLs', 'Errors'],
      ...['Retry policy', 'Workflows', 'Settings', 'Outputs'],
    ]);
  });

  test('lists every error code with its status, and no other', () => {
    const rows = [...sectionOf(page, 'Errors').matchAll(/^\| `([a-z_]+)` +\| (\d{3}) /gm)];
    const listed = Object.fromEntries(rows.map(([, code = '', status]) => [code, Number(status)]));
    expect(listed).toEqual(statusByErrorCode);
  });

  test.each(['container/config.ts', 'worker/config.ts', 'worker/providers.ts'])(
    'lists every setting that %s reads',
    (file) => {
      const settings = sectionOf(page, 'Settings');
      const missing = variablesIn(textOf(file)).filter((name) => !new RegExp(`(?:\`|>_)${name}\``).test(settings));
      expect(missing).toEqual([]);
    },
  );

  test('lists every codec and container that can be asked for', () => {
    const outputs = sectionOf(page, 'Outputs');
    const names = [...Object.keys(audioCodecs), ...Object.keys(containers)];
    expect(names.filter((name) => !new RegExp(`^\\|.*\`${name}\``, 'm').test(outputs))).toEqual([]);
  });
});

/** Keys of the schema, and names in quotes. */
function variablesIn(code: string): string[] {
  const keys = [...code.matchAll(/^\s+([A-Z][A-Z0-9_]*): /gm)];
  const quoted = [...code.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)];
  const names = [...keys, ...quoted].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(0);
  return [...new Set(names)];
}
