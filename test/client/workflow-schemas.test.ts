import { expect, test } from 'vitest';
import { ClientError } from '../../client/client-error.ts';
import { parseInput, parseOutcome } from '../../client/workflow-schemas.ts';

const sourceUrl = 'https://media.example/talk.wav';

test('passes on a valid input', () => {
  const input = { sourceUrl, outputs: [{ format: 'mp3_128', uploadUrl: 's3://bucket/talk.mp3' }] };
  expect(parseInput('encode', input)).toEqual(input);
});

test.each([
  ['encode', { sourceUrl, outputs: [] }, /^Invalid input: outputs: .*\.$/],
  [
    'encode',
    { sourceUrl, outputs: [{ format: 'wav', uploadUrl: sourceUrl }] },
    /outputs\.0\.uploadUrl: would replace the file that sourceUrl names/,
  ],
  [
    'chunking',
    { sourceUrl, chunkDuration: 5, overlapDuration: 5, uploadUrlPrefix: 's3://b/' },
    /overlapDuration: must be/,
  ],
  ['processing', { sourceUrl, uploadUrlPrefix: 's3://b/', provider: 'whisper' }, /provider: /],
] as const)('names the invalid fields of an input for %s', (workflowType, input, sentence) => {
  const parse = () => parseInput(workflowType, input);
  expect(parse).toThrow(ClientError);
  expect(parse).toThrow(sentence);
});

test('rejects a result that does not match the contract', () => {
  expect(() => parseOutcome('chunking', { totalChunks: 'many' })).toThrow(/totalChunks/);
});
