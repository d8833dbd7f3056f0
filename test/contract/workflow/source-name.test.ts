import { expect, test } from 'vitest';
import { EncodeInput } from '../../../contract/workflow/encode.ts';
import { toSourceName } from '../../../contract/workflow/source-name.ts';

const input = { sourceUrl: 's3://media/in', outputs: [{ format: 'mp3_64', uploadUrl: 's3://media/out' }] };

test.each(['talk.wav', 'Rede #1 – 100 %.wav', '🎧.mp3', 'x'.repeat(255)])('accepts the name %j', (sourceName) => {
  expect(EncodeInput.parse({ ...input, sourceName })).toMatchObject({ sourceName });
  expect(toSourceName(sourceName)).toBe(sourceName);
});

test.each([
  ['', undefined],
  [' \t', undefined],
  ['two\nlines.wav', 'twolines.wav'],
  ['\u001b[31mred.wav', '[31mred.wav'],
  ['half \ud83c.wav', 'half .wav'],
  ['x'.repeat(300), 'x'.repeat(255)],
])('refuses the name %j of a request, and takes %j from such a file', (sourceName, taken) => {
  const { error } = EncodeInput.safeParse({ ...input, sourceName });
  expect(error?.issues[0]?.message).toBe('must be a name of 1 to 255 characters on one line');
  expect(toSourceName(sourceName)).toBe(taken);
});
