import { expect, test } from 'vitest';
import { contentTypeOfFile } from '../../../server/files/content-type.ts';

test.each([
  ['talk.mp3', 'audio/mpeg'],
  ['film.MP4', 'video/mp4'],
  ['talk.constructor', 'application/octet-stream'],
  ['talk.__proto__', 'application/octet-stream'],
])('gives %s the content type %s', (name, type) => {
  expect(contentTypeOfFile(name)).toBe(type);
});
