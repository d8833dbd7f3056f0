import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/ports.ts';
import { run, TestProcess, testEnvironment } from '../support/process.ts';

export interface Postgres {
  port: number;
  stop(): Promise<void>;
}

export const databaseUser = 'temporal';

/** Enough for all services of a cluster with `connectionsEach` connections. */
const connections = 300;

/**
 * Starts PostgreSQL on a free loopback port with its usual durability. `programs` is the folder of `initdb` and
 * `postgres`.
 */
export async function startPostgres(programs: string): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-postgres-'));
  const data = join(folder, 'data');
  await mkdir(data);
  const asUser = await unprivileged([folder, data]);
  const runs = (name: string, ...args: string[]) => [...asUser, join(programs, name), ...args] as [string, ...string[]];
  const [initdb, ...initArgs] = runs(
    'initdb',
    '-D',
    data,
    '-U',
    databaseUser,
    '--auth=trust',
    '--no-locale',
    '-E',
    'UTF8',
  );
  const { code, output } = await run(initdb, initArgs);
  if (code !== 0) throw new Error(`initdb failed: ${output}`);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `max_connections=${connections}`];
  const [postgres, ...args] = runs(
    'postgres',
    '-D',
    data,
    '-p',
    `${port}`,
    ...settings.flatMap((text) => ['-c', text]),
  );
  const server = new TestProcess('PostgreSQL', postgres, args, testEnvironment());
  await server.until('ready PostgreSQL', () => /ready to accept connections/.test(server.output));
  return {
    port,
    async stop() {
      // SIGINT ends it at once and in order, despite open connections.
      await server.stop('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root, so it runs as the user of Debian's package, who gets these folders. */
async function unprivileged(folders: readonly string[]): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  const [uid = Number.NaN, gid = Number.NaN] = ids.map(({ output }) => Number(output));
  for (const folder of folders) await chown(folder, uid, gid);
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
}
