import { errors } from 'undici';
import { isTlsFailure, untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf, unknownHost } from '../../contract/unknown-values.ts';
import { AddressNotAllowedError } from '../../network/address-guard.ts';

export type TransportFailure =
  | { kind: 'address_not_allowed'; host: string }
  | { kind: 'stalled' }
  /** A retry meets the same certificate. */
  | { kind: 'untrusted'; reason: string }
  /** `details` names the look-up's error: after an unknown host name, a retry helps only once somebody creates the name. */
  | { kind: 'unreachable'; reason: string; details?: { errno: string } };

const reasonByErrno: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ECONNABORTED: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'its host name does not exist',
  EAI_AGAIN: 'its host name could not be resolved',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet by the clock of this machine',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not answer in TLS',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'it sent fewer bytes than it had promised',
};

/** Meaning of an undici error for a transfer; undefined if it is not a network error. */
export function transportFailure(error: unknown): TransportFailure | undefined {
  if (error instanceof AddressNotAllowedError) return { kind: 'address_not_allowed', host: error.host };
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return { kind: 'stalled' };
  // Some parser errors have no code, and none is an UndiciError.
  if (error instanceof errors.HTTPParserError) return { kind: 'unreachable', reason: 'its answer is not HTTP' };
  const errno = errnoOf(error);
  if (errno === undefined) return undefined;
  const reason = reasonByErrno[errno];
  if (reason !== undefined) {
    return { kind: 'unreachable', reason, ...(errno === unknownHost && { details: { errno } }) };
  }
  const untrusted = untrustedReason(errno);
  if (untrusted !== undefined) return { kind: 'untrusted', reason: untrusted };
  if (error instanceof errors.UndiciError || isTlsFailure(errno)) {
    return { kind: 'unreachable', reason: `the connection failed (${errno})` };
  }
  return undefined;
}
