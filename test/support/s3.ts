import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isOpen } from './ports.ts';
import { TestProcess, testEnvironment, type Environment } from './process.ts';
import { toolPath } from './tools.ts';

const rclonePath = await toolPath('RCLONE_PATH');

const [accessKeyId, secretAccessKey] = ['holdfast-test', 'holdfast-test-secret'];

interface ServerCommand {
  path: string;
  args(port: number, folder: string, attributes: string): string[];
}

const rclone: ServerCommand = {
  path: rclonePath,
  // Without a write cache an interrupted upload leaves no partial object.
  args: (port, folder) =>
    ['serve', 's3', '--config', '/dev/null', '--addr', `127.0.0.1:${port}`, '--auth-key'].concat(
      `${accessKeyId},${secretAccessKey}`,
      folder,
    ),
};

/** The same without a check of signatures, for requests of S3's form that another scheme signs. */
export const withoutKeys: ServerCommand = {
  path: rclonePath,
  args: (port, folder) => ['serve', 's3', '--config', '/dev/null', '--addr', `127.0.0.1:${port}`, folder],
};

/** Another real S3 server, for tests of differences. Call it at module level: the server may have to be built. */
export async function versitygw(): Promise<ServerCommand> {
  return {
    path: await toolPath('VERSITYGW_PATH'),
    // Attributes are in a separate folder, since a temp folder may lack extended attributes.
    args: (port, folder, attributes) => [
      ...['--access', accessKeyId, '--secret', secretAccessKey, '--port', `127.0.0.1:${port}`, '--quiet'],
      ...['posix', '--sidecar', attributes, folder],
    ],
  };
}

export interface S3Server {
  /** `http://127.0.0.1:…` */
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Environment variables for the AWS SDK. */
  environment: Environment;
  /** Root of the buckets (folders) and objects (files). */
  folder: string;
  /** The current process; `restart` starts another. */
  readonly process: TestProcess;
  /** Replaces a process that has ended, at the same address and with the same objects. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a real S3 server with a temp folder. The AWS SDK uses path-style URLs because the endpoint is an IP address. */
export async function startS3(buckets: readonly string[] = ['media'], command = rclone): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-s3-'));
  const attributes = await mkdtemp(join(tmpdir(), 'holdfast-attributes-'));
  await Promise.all(buckets.map((bucket) => mkdir(join(folder, bucket))));
  const port = await freePort();
  const spawnOpen = async (): Promise<TestProcess> => {
    const args = command.args(port, folder, attributes);
    const spawned = new TestProcess('S3 server', command.path, args, testEnvironment());
    await spawned.until('open port', () => isOpen(port));
    return spawned;
  };
  let server = await spawnOpen();
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    endpoint,
    accessKeyId,
    secretAccessKey,
    environment: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: 'us-east-1',
    },
    folder,
    get process() {
      return server;
    },
    async restart() {
      server = await spawnOpen();
    },
    async stop() {
      await server.stop('SIGTERM', 5_000);
      await rm(folder, { recursive: true, force: true });
      await rm(attributes, { recursive: true, force: true });
    },
  };
}
