import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { parseSource } from '../../../cli/media/named-source.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();
const path = join(folder, 'my talk.v2.wav');
await writeFile(path, '');

test.each([['my talk.v2.wav'], ['./my talk.v2.wav'], [path], [pathToFileURL(path).href]])(
  'parses %s as a local file',
  (text) => {
    expect(parseSource(text, folder)).toEqual({ kind: 'file', path, name: 'my talk.v2' });
  },
);

test.each([
  ['https://example.org/a/My%20Talk.wav?X-Amz-Signature=abc', 'My Talk'],
  ['s3://bucket/recordings/talk.flac', 'talk'],
  ['s3://bucket/talks/100% #1?.wav', '100% #1?'],
  ['az://account/media/talks/100%20 #1.wav', '100%20 #1'],
  ['gs://bucket/talks/a#b.wav', 'a#b'],
  ['http://example.org/', 'output'],
  ['sftp://nas/talks/100% #1.wav', '100% #1'],
])('passes %s on unchanged and names outputs %s', (url, name) => {
  expect(parseSource(url, folder)).toEqual({ kind: 'url', url, name });
});

test.each([
  ['missing.wav', /There is no file "missing.wav"/],
  ['.', /is a folder/],
  ['/dev/null', /not a regular file/],
  ['ftp://example.org/a.wav', /cannot be fetched/],
])('refuses %s with %s', (text, sentence) => {
  expect(() => parseSource(text, folder)).toThrow(sentence);
});
