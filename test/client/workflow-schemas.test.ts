import { expect, test } from 'vitest';
import { ClientError } from '../../client/client-error.ts';
import { parseInput, parseOutcome } from '../../client/workflow-schemas.ts';

const sourceUrl = 'https://media.example/talk.wav';

test('an input that the contract takes is passed on', () => {
  const input = { sourceUrl, outputs: [{ format: 'mp3_128', uploadUrl: 's3://bucket/talk.mp3' }] };
  expect(parseInput('encode', input)).toEqual(input);
});

test.each([
  ['encode', { sourceUrl, outputs: [] }, /^This cannot be run\. outputs: .*\.$/],
  [
    'chunking',
    { sourceUrl, chunkDuration: 5, overlapDuration: 5, uploadUrlPrefix: 's3://b/' },
    /overlapDuration: must be/,
  ],
  ['processing', { sourceUrl, uploadUrlPrefix: 's3://b/', provider: 'whisper' }, /provider: /],
] as const)('an input of %s that the contract refuses is named field by field', (workflowType, input, sentence) => {
  const parse = () => parseInput(workflowType, input);
  expect(parse).toThrow(ClientError);
  expect(parse).toThrow(sentence);
});

test('a result that the contract does not know is refused', () => {
  expect(() => parseOutcome('chunking', { totalChunks: 'many' })).toThrow(/totalChunks/);
});
