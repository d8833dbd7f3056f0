import { describe, expect, test } from 'vitest';
import { statusByErrorCode } from '../../contract/error-codes.ts';
import { type AudioCodec, audioCodecFacts, audioCodecs, containers } from '../../contract/formats.ts';
import { filesIn, headingsOf, sectionOf, textOf } from './documents.ts';

const page = textOf('docs/contract.md');

const codecs = Object.keys(audioCodecs).map((name) => [name, audioCodecFacts(name as AudioCodec)] as const);

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

  test.each([
    ['the container', ['container/config.ts']],
    ['the worker', filesIn('worker').filter((path) => path.endsWith('.ts'))],
  ])('lists every setting that %s reads', (_process, files) => {
    const settings = sectionOf(page, 'Settings');
    const names = new Set(files.flatMap((file) => variablesIn(textOf(file))));
    expect(names).toContain('MEDIA_ROOT');
    expect([...names].filter((name) => !new RegExp(`(?:\`|>_)${name}\``).test(settings))).toEqual([]);
  });

  test('lists every format with its container and extension', () => {
    const listed = rowsOf(sectionOf(page, 'Outputs')).map((row) => row.slice(0, 3));
    for (const [codec, { container, bitrates }] of codecs) {
      const format = bitrates === undefined ? codec : `${codec}_<kbit/s>`;
      expect(listed).toContainEqual([format, container, `.${containers[container].extension}`]);
    }
  });

  test('lists what can be asked of every codec', () => {
    const rows = rowsOf(sectionOf(page, 'Outputs'));
    for (const [codec, { maxChannels, sampleRates }] of codecs) {
      const rates = rows.find(([name, channels]) => name === codec && channels === String(maxChannels))?.[2];
      expect(rates, codec).toBeDefined();
      const numbers = rates?.match(/^[\d, ]+/)?.[0].split(', ') ?? [];
      if (sampleRates !== undefined) expect(numbers.map((rate) => Number(rate.replace(',', '')))).toEqual(sampleRates);
    }
  });
});

/** Keys of the schema, and names in quotes. */
function variablesIn(code: string): string[] {
  const keys = [...code.matchAll(/^\s+([A-Z][A-Z0-9_]*): /gm)];
  const quoted = [...code.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)];
  return [...keys, ...quoted].map(([, name = '']) => name);
}

/** The cells of all tables, without their backticks. */
function rowsOf(section: string): string[][] {
  return [...section.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim().replaceAll('`', '')),
  );
}
