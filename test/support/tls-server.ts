import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

interface Certificate {
  /** DNS name. */
  host: string;
  from: Date;
  to: Date;
}

const dayMs = 86_400_000;

const goodCertificate = (): Certificate => ({
  ...{ host: 'localhost', from: new Date(Date.now() - dayMs), to: new Date(Date.now() + dayMs) },
});

/** Certificates with one fault each, and the reported sentence. */
export const badCertificates: [string, Partial<Certificate>, RegExp][] = [
  ['for another host', { host: 'elsewhere.test' }, /certificate is for another host/],
  ['that has expired', { to: new Date(Date.now() - 1_000) }, /certificate has expired/],
];

/** A self-signed certificate of a host and its key, in PEM. */
export function certificateOf(host: string): { key: string; cert: string } {
  return makeCertificate({ ...goodCertificate(), host });
}

export interface TlsServer {
  url: string;
  /** Certificate in PEM, for clients to trust. */
  certificate: string;
  /** Number of connections so far. */
  connections(): number;
  stop(): Promise<void>;
}

export async function startTlsServer(
  certificate: Partial<Certificate>,
  listener: RequestListener = (_, response) => void response.end(),
): Promise<TlsServer> {
  const { key, cert } = makeCertificate({ ...goodCertificate(), ...certificate });
  const server = createServer({ key, cert }, listener);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    certificate: cert,
    connections: () => connections,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Makes this process trust the server. */
export function trust({ certificate }: Pick<TlsServer, 'certificate'>): void {
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
}

// Node cannot make certificates, so a self-signed one is written in DER (RFC 5280).

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
const ecdsaWithSha256 = sequence(der(0x06, hex('2a8648ce3d040302')));

function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(digits));
}

function makeCertificate({ host, from, to }: Certificate): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // A unique name: certificates of one name are confused with each other.
  const name = sequence(der(0x31, sequence(der(0x06, hex('550403')), der(0x0c, Buffer.from(randomUUID())))));
  const alternativeName = sequence(der(0x06, hex('551d11')), der(0x04, sequence(der(0x82, Buffer.from(host)))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ecdsaWithSha256,
    name,
    sequence(time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName)),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const whole = sequence(toBeSigned, ecdsaWithSha256, der(0x03, hex('00'), signature));
  const lines = whole.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
