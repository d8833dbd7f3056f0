import { expect, test } from 'vitest';
import { chunkResult, encodedOutput } from '../../fixtures/scripted-container.ts';
import { chunksProblem, outputsProblem } from '../../../workflows/run/result-problems.ts';

const mp3 = { format: 'mp3_128', uploadUrl: 'file:///a.mp3' };
const preset = { preset: 'podcast-aac', uploadUrl: 'file:///a.m4a' };
const packaged = { package: ['hls' as const, 'dash' as const], uploadUrlPrefix: 'file:///a/' };
const { format: _, ...facts } = encodedOutput;

test.each([
  ['in the requested order', [mp3, preset], [encodedOutput, { ...facts, preset: 'podcast-aac' }], undefined],
  ['of an older container, which repeats no field', [mp3], [facts], undefined],
  ['of a package', [packaged], [{ ...facts, package: ['hls', 'dash'] }], undefined],
  ['with one more', [mp3], [encodedOutput, encodedOutput], '2 outputs instead of 1'],
  ['with one missing', [mp3, mp3], [encodedOutput], '1 outputs instead of 2'],
  ['with none', [mp3], [], '0 outputs instead of 1'],
  [
    'in another order',
    [mp3, preset],
    [{ ...facts, preset: 'podcast-aac' }, encodedOutput],
    'another output in the place of output 0',
  ],
  ['with another format', [mp3], [{ ...facts, format: 'mp3_64' }], 'another output in the place of output 0'],
  [
    'with an image',
    [mp3, mp3],
    [encodedOutput, { ...facts, image: 'poster' }],
    'another output in the place of output 1',
  ],
])('compares a result’s outputs with the requested ones: %s', (_name, requested, encoded, problem) => {
  expect(outputsProblem(requested, encoded)).toBe(problem);
});

const three = chunkResult(3);

test.each([
  ['as requested', three, 3, undefined],
  ['of an unknown number', three, undefined, undefined],
  ['in a stored list', { ...three, chunks: undefined }, 3, undefined],
  ['with one more', three, 2, '3 chunks instead of 2'],
  ['with a list of another length', { ...three, chunks: three.chunks.slice(1) }, 3, 'a list of 2 chunks for 3'],
  ['out of order', { ...three, chunks: three.chunks.toReversed() }, 3, 'chunks out of order'],
  ['with one twice', { ...three, chunks: three.chunks.with(1, three.chunks[0]!) }, 3, 'chunks out of order'],
])('compares a result’s chunks with the requested ones: %s', (_name, result, requested, problem) => {
  expect(chunksProblem({ ...result, success: true }, requested)).toBe(problem);
});
