// Reasons why a TLS connection failed, for the container and the worker.

/** Codes of Node and OpenSSL for a certificate that fails until a person replaces or trusts it. */
const reasonByErrno: Partial<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  HOSTNAME_MISMATCH: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_REVOKED: 'its certificate is revoked',
  CERT_REJECTED: 'its certificate is rejected',
  CERT_UNTRUSTED: 'its certificate is not trusted',
  CERT_SIGNATURE_FAILURE: 'its certificate has a wrong signature',
  INVALID_CA: 'its certificate is signed by one that may sign none',
  INVALID_PURPOSE: 'its certificate is not for servers',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed and not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is signed by an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an authority that is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes without that of the authority which signed it',
};

/** Reason that only a person can resolve: an untrusted certificate. Undefined if a retry may help. */
export function untrustedReason(errno: string | undefined): string | undefined {
  const reason = reasonByErrno[errno ?? ''];
  return reason === undefined ? undefined : `${reason} (${errno})`;
}

/** Includes certificates that are not valid yet, because a clock may be wrong. */
export function isTlsFailure(errno: string): boolean {
  return /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_|UNABLE_|EPROTO$)/.test(errno);
}
