import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildBox } from '../../../engine/formats/isobmff/box.ts';
import { probeSource } from '../../../engine/source/probe-source.ts';
import { makeMedia } from '../../support/media-files.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

const fileType = buildBox('ftyp', Buffer.from('isom\0\0\x02\0isomiso2'));
const media = buildBox('mdat', Buffer.alloc(5000, 7));
const isCutOff = /^The source is an MP4 or MOV file whose index \(moov\) is missing\. /;
const isUnknown = /^The source cannot be decoded: it is not an audio or video file of a known kind/;
/** The size field says that the box extends to the end of the file. */
const endless = Buffer.concat([Buffer.from([0, 0, 0, 0]), media.subarray(4)]);
/** A 64-bit size, as cameras write it before they know the size of a film. */
const large = Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.from('mdat'), Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])]);

test.each<[string, Buffer, RegExp]>([
  ['an empty file', Buffer.alloc(0), /^The source is empty: it has 0 bytes\.$/],
  ['an MP4 without its end', Buffer.concat([fileType, media]), isCutOff],
  ['an MP4 whose media data is cut', Buffer.concat([fileType, media.subarray(0, 900)]), isCutOff],
  ['an MP4 whose media data has no size', Buffer.concat([fileType, endless]), isCutOff],
  ['an MP4 whose media data has a 64-bit size', Buffer.concat([fileType, large, Buffer.alloc(900)]), isCutOff],
  ['an MP4 that ends after its first box', fileType, isCutOff],
  [
    'an MP4 with padding instead of media data',
    Buffer.concat([fileType, buildBox('free', Buffer.alloc(64))]),
    isCutOff,
  ],
  ['an old MOV without its end', Buffer.concat([buildBox('wide', Buffer.alloc(0)), media]), isCutOff],
  ['a text', Buffer.from('These are my notes of the meeting.\n'), isUnknown],
  ['a single byte', Buffer.from('x'), isUnknown],
  ['zeros', Buffer.alloc(4096), isUnknown],
  ['a text that mentions mdat', Buffer.from('A box mdat holds the media data of an MP4.\n'), isUnknown],
])('names the problem of %s', async (name, bytes, message) => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  await expect(probeSource(path, AbortSignal.timeout(60_000))).rejects.toMatchObject({
    code: 'undecodable_source',
    message: expect.stringMatching(message),
  });
});

test.each([
  ['a WAV', 'rewrite', 'wrapped.wav', '-ignore_length 1'],
  ['an AIFF', 'export', 'wrapped.aiff', 'as CAF, W64 or RF64'],
])(
  'refuses %s above 4 GiB whose header states the remainder, and says how to %s it',
  async (_kind, _verb, name, advice) => {
    const path = await makeMedia(folder, name, '-f', 'lavfi', '-i', 'anoisesrc=d=1');
    await truncate(path, 2 ** 32 + 100_000);
    await expect(probeSource(path, AbortSignal.timeout(60_000))).rejects.toMatchObject({
      ...{ code: 'unsupported_format', message: expect.stringContaining(advice) },
    });
  },
);

test('accepts an AIFF of 4 GiB', async () => {
  const path = await makeMedia(folder, 'large.aiff', '-f', 'lavfi', '-i', 'anoisesrc=d=1');
  await truncate(path, 2 ** 32);
  await expect(probeSource(path, AbortSignal.timeout(60_000))).resolves.toMatchObject({ format: { duration: 1 } });
});
