import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { downloadSource, namingFailures } from '../../../container/transfer/download.ts';
import { jobRoom } from '../../../container/transfer/scratch-room.ts';
import { transportFailure } from '../../../container/transfer/transport-failure.ts';
import { cannotWrite } from '../../../container/transfer/upload-target.ts';
import { testFolder } from '../../support/folder.ts';

test.each([
  ['CERT_HAS_EXPIRED', 'untrusted', 'its certificate has expired (CERT_HAS_EXPIRED)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'untrusted', 'its certificate is for another host (ERR_TLS_CERT_ALTNAME_INVALID)'],
  ['CERT_NOT_YET_VALID', 'unreachable', 'its certificate is not valid yet by the clock of this machine'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'unreachable', 'it does not answer in TLS'],
  ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'unreachable', 'the connection failed (ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR)'],
  ['ECONNREFUSED', 'unreachable', 'the connection was refused'],
])('classifies the TLS error %s as %s', (code, kind, reason) => {
  expect(transportFailure(Object.assign(new Error('x'), { code }))).toEqual({ kind, reason });
});

const failing = (code: string) => async () => {
  throw Object.assign(new Error('x'), { code });
};

test('says that a source’s host name does not exist, for the sentence and for the caller', async () => {
  const url = new URL('https://nowhere.test/a.wav?secret=1');
  const fetched = namingFailures(url, new AbortController().signal, failing('ENOTFOUND'));
  await expect(fetched).rejects.toMatchObject({
    code: 'source_unavailable',
    message: expect.stringMatching(
      /^The source https:\/\/nowhere\.test\S* could not be fetched: its host name does not exist\.$/,
    ),
    details: { errno: 'ENOTFOUND' },
  });
});

test('does not take a name server without an answer for an unknown host name', async () => {
  const fetched = namingFailures(new URL('https://nowhere.test/'), new AbortController().signal, failing('EAI_AGAIN'));
  await expect(fetched).rejects.toMatchObject({
    message: expect.stringContaining('its host name could not be resolved'),
    details: undefined,
  });
});

test('reports a source whose disk fails as source_unavailable', async () => {
  // The kernel answers EIO to a read of the unmapped first page.
  const mediaRoot = `/proc/${process.pid}`;
  const downloaded = downloadSource(`file://${mediaRoot}/mem`, `${testFolder()}/input`, {
    ...{ dispatcher: new Agent(), mediaRoot, maxBytes: 1_000, connections: 1, room: jobRoom(async () => 1_000) },
    ...{ signal: new AbortController().signal, onProgress: () => {} },
  });
  await expect(downloaded).rejects.toMatchObject({ code: 'source_unavailable', details: { errno: 'EIO' } });
});

test.each([
  ['ESTALE', 'upload_failed'],
  ['EACCES', 'upload_refused'],
  ['EFBIG', 'upload_refused'],
  ['EINVAL', 'upload_refused'],
  ['ENOSPC', 'ENOSPC'],
])('reports a target whose disk answers %s as %s', (errno, code) => {
  const error = Object.assign(new Error('x'), { code: errno, syscall: 'rename' });
  expect(cannotWrite(new URL('file:///media/out.mp3'), error)).toMatchObject({ code });
});
