import { expect, test } from 'vitest';
import { parseInput } from '../../../client/workflow-schemas.ts';
import { asProblem } from '../../../server/http/failures.ts';

function problemOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return asProblem(error).toBody();
  }
}

test('names each wrong field of a workflow’s input as a field of the request', () => {
  const outputs = [{ format: 'mp3_64', title: 'x', uploadUrl: 's3://b/a.mp3' }];
  expect(problemOf(() => parseInput('encode', { sourceUrl: 'C:\\talk.wav', outputs }))).toMatchObject({
    status: 400,
    code: 'invalid_request',
    errors: [
      { path: 'input.sourceUrl', message: expect.stringMatching(/^must be a URL/) },
      { path: 'input.outputs.0', message: 'Unrecognized key: "title"' },
    ],
  });
});

test('names an unknown field of a workflow’s input', () => {
  const input = { sourceUrl: 's3://b/a.wav', outputs: [{ format: 'mp3_64', uploadUrl: 's3://b/a.mp3' }], title: 'x' };
  expect(problemOf(() => parseInput('encode', input))).toMatchObject({
    detail: 'Invalid input: Unrecognized key: "title".',
    errors: [{ path: 'input', message: 'Unrecognized key: "title"' }],
  });
});
