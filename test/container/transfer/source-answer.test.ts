import { expect, test } from 'vitest';
import { parseContentRange, versionOf } from '../../../container/transfer/source-answer.ts';

test.each([
  ['bytes 0-99/1000', { from: 0, end: 100, totalBytes: 1000 }],
  ['Bytes 5-5/6', { from: 5, end: 6, totalBytes: 6 }],
  ['bytes 0-99/*', { from: 0, end: 100, totalBytes: undefined }],
  ['bytes */1000', undefined],
  ['bytes 9-8/10', undefined],
  ['bytes 0-10/10', undefined],
  ['bytes=0-1/2', undefined],
  ['items 0-1/2', undefined],
  ['bytes 0-1', undefined],
  ['', undefined],
  [undefined, undefined],
])('parses the Content-Range %j as %j', (header, range) => {
  expect(parseContentRange(header)).toEqual(range);
});

const date = 'Mon, 02 Feb 2026 10:00:01 GMT';
const before = 'Mon, 02 Feb 2026 10:00:00 GMT';

test.each([
  [{ etag: '"a"' }, '"a"'],
  [{ etag: '"a"', 'last-modified': before, date }, '"a"'],
  [{ etag: 'W/"a"' }, undefined],
  [{ etag: 'W/"a"', 'last-modified': before, date }, before],
  [{ etag: 'a', 'last-modified': before, date }, before],
  [{ 'last-modified': date, date }, undefined],
  [{ 'last-modified': before }, undefined],
  [{ 'last-modified': 'yesterday', date }, undefined],
  [{}, undefined],
])('resumes an answer with the headers %j by If-Range %j', (headers, validator) => {
  expect(versionOf(headers).validator).toBe(validator);
});

test.each([
  [{ 'accept-ranges': 'bytes', 'content-length': '7' }, true, 7],
  [{ 'accept-ranges': 'none', 'content-length': 'x' }, false, undefined],
  [{}, false, undefined],
])('reads from the headers %j whether ranges are served (%s) and the size %j', (headers, hasRanges, totalBytes) => {
  expect(versionOf(headers)).toMatchObject({ hasRanges, totalBytes });
});
