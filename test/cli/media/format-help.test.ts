import { expect, test } from 'vitest';
import { describeFormats } from '../../../cli/media/format-help.ts';
import { formats } from '../../../contract/formats.ts';

test('the help for --format lists every format', () => {
  const help = describeFormats();
  expect(help).toMatch(/^mp3, mp2, aac, .* with _<kbit\/s>, .*flac.* or /);
  for (const codec of Object.keys(formats)) expect(help).toMatch(new RegExp(`\\b${codec}\\b`));
});
