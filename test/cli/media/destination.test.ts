import { expect, test } from 'vitest';
import { destinationBelow, parseDestination } from '../../../cli/media/destination.ts';

test.each([
  [undefined, { kind: 'folder', path: '/home/me' }],
  ['out', { kind: 'folder', path: '/home/me/out' }],
  ['file:///tmp/a%20b', { kind: 'folder', path: '/tmp/a b' }],
  ['s3://bucket', { kind: 'store', prefix: 's3://bucket/' }],
  ['sftp://nas/talks', { kind: 'store', prefix: 'sftp://nas/talks/' }],
  ['webdav+https://nas:8443', { kind: 'store', prefix: 'webdav+https://nas:8443/' }],
])('parses --out %s as %j', (out, destination) => {
  expect(parseDestination(out, '/home/me')).toEqual(destination);
});

test.each([
  ['', /--out is empty/],
  ['s3://', /names no valid bucket/],
  ['s3:///', /names no valid bucket/],
  ['sftp://me@nas/talks', /names no valid bucket or server/],
  ['file://host/out', /is not a local file/],
  ['https://example.org/out', /takes a local folder/],
])('refuses --out %j with %s', (out, sentence) => {
  expect(() => parseDestination(out, '/home/me')).toThrow(sentence);
});

test.each(['s3://bucket/out', 'az://holdfast/media/out', 'gs://bucket/out', 'sftp://nas/out'])(
  'a folder of sources keeps its name below %s',
  (out) => {
    expect(destinationBelow(parseDestination(out, '/home/me'), 'Staffel 1/100% Größe')).toEqual({
      kind: 'store',
      prefix: `${out}/Staffel 1/100% Größe/`,
    });
  },
);
