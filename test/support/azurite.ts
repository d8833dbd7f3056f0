import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobServiceClient } from '@azure/storage-blob';
import { freePort, isOpen } from './ports.ts';
import { TestProcess, testEnvironment } from './process.ts';
import { toolPath } from './tools.ts';

const azuritePath = await toolPath('AZURITE_PATH');

const account = 'holdfasttest';
const accountKey = Buffer.from('a key of the tests').toString('base64');

export interface Azurite {
  /** `http://127.0.0.1:…`, without the account */
  endpoint: string;
  account: string;
  /** The connection string for the server itself, or for a line to it, or with another key. */
  connectionString(changes?: { endpoint?: string; key?: string }): string;
  stop(): Promise<void>;
}

/**
 * Starts Azure's own emulator with the container `media`. It verifies signatures, and by `https` also tokens of
 * identities.
 */
export async function startAzurite(https?: { key: string; cert: string }): Promise<Azurite> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-azurite-'));
  const port = await freePort();
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  if (https !== undefined) await Promise.all([writeFile(keyFile, https.key), writeFile(certFile, https.cert)]);
  const withTokens = https === undefined ? [] : ['--oauth', 'basic', '--key', keyFile, '--cert', certFile];
  const server = new TestProcess(
    'Azurite',
    azuritePath,
    // The SDK may be newer than the emulator.
    [
      ...[
        '--blobHost',
        '127.0.0.1',
        '--blobPort',
        `${port}`,
        '--location',
        folder,
        '--silent',
        '--skipApiVersionCheck',
      ],
      ...withTokens,
    ],
    { ...testEnvironment(), AZURITE_ACCOUNTS: `${account}:${accountKey}`, AZURITE_TELEMETRY: 'false' },
  );
  await server.until('open port', () => isOpen(port));
  const own = https === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const connectionString: Azurite['connectionString'] = ({ endpoint = own, key = accountKey } = {}) =>
    `DefaultEndpointsProtocol=${new URL(endpoint).protocol.slice(0, -1)};AccountName=${account};AccountKey=${key};BlobEndpoint=${endpoint}/${account};`;
  await BlobServiceClient.fromConnectionString(connectionString()).createContainer('media');
  return {
    endpoint: own,
    account,
    connectionString,
    async stop() {
      await server.stop('SIGTERM', 5_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
