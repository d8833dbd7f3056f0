import { messageOf } from '../contract/unknown-values.ts';

const missingNamespace = /^Namespace .+ was not found .*\bNotFound\b/s;

/** Messages of the SDK's TLS library, which has no codes, and what a person can do. */
const refusals: readonly (readonly [said: RegExp, means: string])[] = [
  [
    /valid authentication credentials|permission to execute/,
    'refuses TEMPORAL_API_KEY or the client’s certificate, for this namespace',
  ],
  [
    /InvalidCertificate/,
    'has a certificate that is not trusted or is for another name: check TEMPORAL_TLS_SERVER_CA_CERT_PATH and TEMPORAL_TLS_SERVER_NAME',
  ],
  [
    /KeyMismatch|PrivateKeyParseError/,
    'was not asked: the client’s certificate and key (TEMPORAL_TLS_CLIENT_…) do not match',
  ],
  [missingNamespace, 'has no such namespace: name another in TEMPORAL_NAMESPACE, or create it'],
  [/InvalidContentType/, 'does not support TLS, which TEMPORAL_TLS, a key or a certificate requires'],
  [
    /CertificateRequired|close_notify|AlertReceived/,
    'requires another certificate of the client (TEMPORAL_TLS_CLIENT_…)',
  ],
  [
    /hyper::Error\(Http2/,
    'does not answer like a Temporal server: it may require TLS (TEMPORAL_TLS), or be another service',
  ],
  // The message depends on whether the answer or the end of the connection came first.
  [
    /broken pipe|BrokenPipe|ConnectionReset|connection closed/,
    'ended the connection: it may require TLS (TEMPORAL_TLS), a key or a certificate',
  ],
];

/** The error comes when a worker is created, not from the connection. */
export function isMissingNamespace(error: unknown): boolean {
  return error instanceof Error && missingNamespace.test(error.message);
}

/** Explains the SDK's error for a connection that could not be made. */
export function describeUnreachedTemporal(address: string, namespace: string, error: unknown): string {
  const said = messageOf(error);
  const place = `${address} (namespace ${namespace})`;
  const means = refusals.find(([pattern]) => pattern.test(said))?.[1];
  return means === undefined
    ? `Temporal cannot be reached at ${place}. Start it, or name another in TEMPORAL_ADDRESS.`
    : `Temporal at ${place} ${means}.`;
}
