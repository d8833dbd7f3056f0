import { expect, test } from 'vitest';
import { createUploadId, fileNameOfUpload, isUploadId } from '../../../server/files/upload-name.ts';

test.each([
  ['talk.wav', 'talk.wav'],
  ['Grüße aus Köln.m4a', 'Grüße aus Köln.m4a'],
  ['../../etc/passwd', 'etc-passwd'],
  ['<script>alert(1)</script>.mp3', 'script-alert(1)-script-.mp3'],
  ['\u202Egpj.exe\u0000', 'gpj.exe-'],
  ['🎧 mix (final) – take 2.flac', 'mix (final) – take 2.flac'],
  ['講演.wav', '講演.wav'],
  ['.hidden', 'hidden'],
  ['', 'file'],
  ['🎧', 'file'],
])('stores a file named %j as %j', (name, kept) => {
  const id = createUploadId(name);
  expect(isUploadId(id)).toBe(true);
  expect(fileNameOfUpload(id)).toBe(kept);
});

test('shortens a name of any length and keeps its extension', () => {
  for (const name of [
    `${'a'.repeat(4096)}.mp3`,
    `${'講'.repeat(300)}.mp3`,
    `${'𝒜'.repeat(300)}.mp3`,
    '\uD800'.repeat(90),
  ]) {
    const id = createUploadId(name);
    expect(isUploadId(id)).toBe(true);
    expect(Buffer.byteLength(`${id}.json`)).toBeLessThan(255);
    if (name.endsWith('.mp3')) expect(id).toMatch(/\.mp3$/);
  }
});

test.each(['', 'talk.wav', '../x', `${'a'.repeat(22)}-../x`, `${'a'.repeat(22)}-a/b`, `${'a'.repeat(22)}-a\0`])(
  'does not accept %j as the id of an upload',
  (id) => {
    expect(isUploadId(id)).toBe(false);
  },
);
