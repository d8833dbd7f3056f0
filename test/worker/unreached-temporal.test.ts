import { expect, test } from 'vitest';
import { describeUnreachedTemporal } from '../../worker/unreached-temporal.ts';

const badCertificate = (what: string) =>
  `tonic::transport::Error(Transport, ConnectError(Custom { kind: InvalidData, error: InvalidCertificate(${what}) }))`;
const call = (rest: string) => `Failed to call GetSystemInfo: code: ${rest}`;

// Messages of SDK 1.24.
test.each([
  [badCertificate('UnknownIssuer'), /not trusted/],
  [badCertificate('NotValidForNameContext { expected: DnsName("x.test") }'), /TEMPORAL_TLS_SERVER_NAME/],
  ['tonic::transport::Error(Transport, InconsistentKeys(KeyMismatch))', /do not match/],
  ['tonic::transport::Error(Transport, PrivateKeyParseError)', /do not match/],
  [
    'tonic::transport::Error(Transport, ConnectError(Custom { error: InvalidMessage(InvalidContentType) }))',
    /no.* TLS/,
  ],
  [
    call(`'Unknown error', message: "transport error", source: … "received fatal alert: CertificateRequired"`),
    /requires another certificate/,
  ],
  [
    call(`'Unknown error', source: … Custom { kind: BrokenPipe, error: "stream closed because of a broken pipe" }`),
    /TLS/,
  ],
  [call(`'Unknown error', source: … hyper::Error(Io, Kind(ConnectionReset))`), /ended.*TLS/],
  [call(`'The operation was cancelled', source: … hyper::Error(Canceled, "connection closed")`), /ended.*TLS/],
  ['… ConnectError("tcp connect error", Os { code: 104, kind: ConnectionReset, message: "…" })', /ended.*TLS/],
  [
    call(`'Unknown error', source: … hyper::Error(Http2, Error { kind: GoAway(b"", FRAME_SIZE_ERROR) })`),
    /another service/,
  ],
  [call(`'The request does not have valid authentication credentials', message: "no"`), /refuses TEMPORAL_API_KEY/],
  [call(`'The caller does not have permission to execute the specified operation'`), /refuses TEMPORAL_API_KEY/],
  [
    'Namespace media was not found or otherwise could not be described: Status { code: NotFound, message: "Namespace media is not found." }',
    /TEMPORAL_NAMESPACE/,
  ],
  ['tonic::transport::Error(Transport, ConnectError(ConnectError("tcp connect error", 127.0.0.1:1)))', /Start it/],
])('%s', (message, sentence) => {
  const said = describeUnreachedTemporal('t.test:7233', 'media', new Error(message));
  expect(said).toMatch(/^Temporal (?:at|cannot be reached at) t\.test:7233 \(namespace media\)/);
  expect(said).toMatch(sentence);
});
