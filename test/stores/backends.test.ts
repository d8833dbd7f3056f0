import { expect, test } from 'vitest';
import { needsSigning, openStores } from '../../stores/backends.ts';

test.each([
  ['s3://media/talk.wav', 'signing'],
  ['S3://media/talk.wav', 'signing'],
  ['az://holdfast/media/talk.wav', 'signing'],
  ['gs://media/talk.wav', 'signing'],
  ['file:///media/talk.wav', 'direct'],
  [' file:///media/talk.wav', 'direct'],
  ['sftp://nas/talk.wav', 'relayed'],
  ['WebDAV+https://nas/talk.wav', 'relayed'],
  ['webdav+http://nas/talk.wav', 'relayed'],
  ['https://example.org/talk.wav', undefined],
  ['constructor:talk.wav', undefined],
  ['talk.wav', undefined],
])('opens for %s the store that its row announces', async (url, kind) => {
  expect((await openStores({}, 600).at(url))?.kind).toBe(kind);
  expect(needsSigning(url)).toBe(kind === 'signing' || kind === 'relayed');
});
