import { expect, test } from 'vitest';
import { readKeptUpload } from '../../../page/words/kept-upload.ts';
import { addMark, type Mark, speedOf } from '../../../page/words/speed.ts';
import { sendingWords } from '../../../page/words/upload-words.ts';

const marksOf = (...marks: [atMs: number, sent: number][]): readonly Mark[] =>
  marks.reduce<readonly Mark[]>((all, [atMs, sent]) => addMark(all, { atMs, sent }), []);

test.each([
  ['one mark', marksOf([0, 100]), 0],
  ['a steady line', marksOf([0, 0], [1_000, 500], [2_000, 1_000]), 500],
  ['a line that became faster', marksOf([0, 0], [3_000, 300], [6_000, 3_300], [7_000, 4_300]), 1_000],
  ['the first mark after a break', marksOf([0, 0], [1_000, 500], [61_000, 600]), 0],
  ['a line after a break', marksOf([0, 0], [1_000, 500], [61_000, 600], [62_000, 1_600]), 1_000],
  ['a line that resumes at an earlier byte', marksOf([0, 0], [1_000, 900], [2_000, 400], [3_000, 700]), 300],
])('measures the speed of %s', (_name, marks, bytesPerSecond) => {
  expect(speedOf(marks)).toBe(bytesPerSecond);
});

test('a stalled upload says that it waits for the connection, instead of a rate and a time that are no longer true', () => {
  const upload = { bytes: 10_000_000, sent: 2_500_000, bytesPerSecond: 500_000, movedAtMs: 60_000 };
  expect(sendingWords(upload, 60_400)).toBe('25 % uploaded · 10.0 MB · 500 kB/s · 15 s left');
  expect(sendingWords(upload, 66_000)).toBe('25 % uploaded · 10.0 MB · Waiting for the connection');
  // The server joins the parts of a large file for a while.
  expect(sendingWords({ ...upload, sent: upload.bytes }, 90_000)).toBe('100 % uploaded · 10.0 MB');
});

const tus = {
  size: 5,
  metadata: { filename: 'Talk & tea.wav' },
  uploadUrl: 'http://here/api/uploads/AA-Talk%20tea.wav',
};
const talk = { name: 'Talk & tea.wav', bytes: 5, type: '' };
const bucket = 'holdfast-upload ["Talk.wav","audio/wav",7,1700000000000]';

test.each([
  ['tus::x::1', tus, { ...talk, id: 'AA-Talk tea.wav', path: '/api/uploads/AA-Talk%20tea.wav' }],
  [
    'tus::x::1',
    { ...tus, uploadUrl: '/api/uploads/AA-Talk.wav' },
    { ...talk, id: 'AA-Talk.wav', path: '/api/uploads/AA-Talk.wav' },
  ],
  [
    bucket,
    { id: 'a/b', parts: [1] },
    { id: 'a/b', name: 'Talk.wav', bytes: 7, type: 'audio/wav', path: '/api/uploads/s3/a%2Fb', confirmedParts: 1 },
  ],
  [
    bucket,
    { id: 'a', parts: [], mayHaveRun: true, goneAtMs: 5 },
    {
      ...{ id: 'a', name: 'Talk.wav', bytes: 7, type: 'audio/wav', path: '/api/uploads/s3/a', confirmedParts: 0 },
      ...{ mayHaveRun: true, goneAtMs: 5 },
    },
  ],
  ['holdfast-preset', 'archive-flac', undefined],
  ['tus::x::1', { ...tus, uploadUrl: null }, undefined],
  ['tus::x::1', { ...tus, uploadUrl: 'http://elsewhere/files/1' }, undefined],
  ['tus::x::1', { ...tus, size: null }, undefined],
  ['tus::x::1', { ...tus, metadata: null }, undefined],
  ['tus::x::1', null, undefined],
  ['holdfast-upload no list', { id: 'a', parts: [] }, undefined],
  [bucket, null, undefined],
])('reads the stored entry %j', (key, value, expected) => {
  expect(readKeptUpload(key, JSON.stringify(value))).toEqual(expected && { key, ...expected });
});

test('ignores a stored entry that is no JSON', () => {
  expect(readKeptUpload('tus::x::1', '{')).toBeUndefined();
});
