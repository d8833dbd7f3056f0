import { expect, test } from 'vitest';
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
