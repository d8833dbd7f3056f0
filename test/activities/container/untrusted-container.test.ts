import { expect, test } from 'vitest';
import { failureOf, TestAttempt } from '../../support/attempt.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';
import { badCertificates, startTlsServer, trust, type TlsServer } from '../../support/tls-server.ts';

let server: TlsServer | undefined;
test.each(badCertificates)(
  'a container with a certificate %s fails the run at once with the reason, and with its address in the details',
  async (_, certificate, sentence) => {
    server = await stopAfterTest(startTlsServer(certificate));
    trust(server);
    const failure = await failureOf(new TestAttempt(server.url).encode());
    expect(failure).toMatchObject({ type: 'ContainerUntrusted', facts: { containerUrl: server.url } });
    expect(failure.message).toMatch(sentence);
    // Owners read the message.
    expect(failure.message).not.toContain(server.url);
  },
);

test('retries a certificate that is not yet valid, because a clock may be wrong', async () => {
  server = await stopAfterTest(
    startTlsServer({ from: new Date(Date.now() + 3_600_000), to: new Date(Date.now() + 7_200_000) }),
  );
  trust(server);
  const failure = await failureOf(new TestAttempt(server.url).encode());
  expect(failure).toMatchObject({ type: 'ConnectionError', facts: { errno: 'CERT_NOT_YET_VALID' } });
  expect(failure.message).toContain('TLS');
});
