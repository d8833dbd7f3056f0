import { expect, test } from 'vitest';
import { ClientError } from '../../client/client-error.ts';
import { parseInput, parseOutcome } from '../../client/workflow-schemas.ts';

const sourceUrl = 'https://media.example/talk.wav';

/** Resumes a result of a run under `s3://b/a/`. */
function resuming(encodedUrl: string, chunkUrl: string) {
  const encoded = { format: 'opus_24', size: 1, duration: 1, channels: 1, sampleRate: 24_000, sha256: '' };
  const chunk = { index: 0, start: 0, duration: 1, size: 4, sha256: 'a'.repeat(64), status: 'failed' };
  const resume = { encoded: { ...encoded, url: encodedUrl }, chunks: [{ ...chunk, url: chunkUrl }] };
  return { sourceUrl, uploadUrlPrefix: 's3://b/a/', provider: 'local/tiny.en', resume };
}

test('passes on a valid input', () => {
  const input = { sourceUrl, outputs: [{ format: 'mp3_128', uploadUrl: 's3://bucket/talk.mp3' }] };
  expect(parseInput('encode', input)).toEqual(input);
  const resumed = resuming('s3://b/a/encoded.ogg', 's3://b/a/chunk-00000.ogg');
  expect(parseInput('processing', resumed)).toEqual(resumed);
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
  ['processing', resuming('s3://b/a/encoded.ogg', 's3://b/c/chunk-00000.ogg'), /resume: names files/],
  // The run would list the file as its own, and the server would link to it.
  ['processing', resuming('s3://b/c/encoded.ogg', 's3://b/a/chunk-00000.ogg'), /resume: names files/],
  ['processing', resuming('s3://b/a/talk.wav', 's3://b/a/chunk-00000.ogg'), /resume: names files/],
] as const)('names the invalid fields of an input for %s', (workflowType, input, sentence) => {
  const parse = () => parseInput(workflowType, input);
  expect(parse).toThrow(ClientError);
  expect(parse).toThrow(sentence);
});

test('rejects a result that does not match the contract', () => {
  expect(() => parseOutcome('chunking', { totalChunks: 'many' })).toThrow(/totalChunks/);
});
