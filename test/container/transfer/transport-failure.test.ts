import { expect, test } from 'vitest';
import { namingFailures } from '../../../container/transfer/download.ts';
import { transportFailure } from '../../../container/transfer/transport-failure.ts';

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
