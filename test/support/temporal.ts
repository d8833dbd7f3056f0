import { Connection } from '@temporalio/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  frozenClientFlags,
  queuesInOrder,
  quickDatabase,
  searchAttributeFlags,
} from '../../cli/stack/temporal-server.ts';
import { freePort } from './ports.ts';
import { TestProcess, testEnvironment } from './process.ts';
import { toolPath } from './tools.ts';

const cliPath = await toolPath('TEMPORAL_CLI_PATH');

export interface TemporalServer {
  /** `host:port` for `TEMPORAL_ADDRESS`. */
  address: string;
  /** URL of the Web UI. */
  uiUrl: string;
  /** The current process; `restart` starts another. */
  readonly process: TestProcess;
  /** Replaces a process that has ended, at the same address and with the same database. */
  restart(): Promise<void>;
  /** Runs the Temporal CLI against the server, and returns its output; throws if it fails. */
  cli(...args: string[]): Promise<string>;
  /** Ends the server and removes its database. Open connections delay the end by up to 5 s. */
  stop(): Promise<void>;
}

/** Starts a real dev server on free ports with an SQLite file. `ui` makes the start slower. */
export async function startTemporal({
  ui = false,
  databaseFile,
  hasSearchAttributes = true,
}: { ui?: boolean; databaseFile?: string; hasSearchAttributes?: boolean } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-temporal-'));
  const [port, uiPort] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${port}`, '--log-level', 'error'];
  args.push(
    '--db-filename',
    databaseFile ?? join(folder, 'temporal.db'),
    ...quickDatabase,
    ...queuesInOrder,
    ...frozenClientFlags,
  );
  if (hasSearchAttributes) args.push(...searchAttributeFlags);
  args.push(...(ui ? ['--ui-port', `${uiPort}`] : ['--headless']));
  const spawnHealthy = async (): Promise<TestProcess> => {
    const spawned = new TestProcess('temporal', cliPath, args, testEnvironment());
    await spawned.until('healthy Temporal server', async () => {
      const connection = await Connection.connect({ address, connectTimeout: 1_000 }).catch(() => undefined);
      if (connection === undefined) return false;
      const namespace = await connection.workflowService
        .describeNamespace({ namespace: 'default' })
        .catch(() => undefined);
      await connection.close();
      return namespace !== undefined;
    });
    return spawned;
  };
  let server = await spawnHealthy();

  const temporal: TemporalServer = {
    address,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    get process() {
      return server;
    },
    async restart() {
      server = await spawnHealthy();
    },
    async cli(...args) {
      const child = new TestProcess('temporal', cliPath, [...args, '--address', address], testEnvironment());
      const { code } = await child.exited;
      if (code !== 0) throw new Error(`temporal ${args.join(' ')} failed: ${child.output}`);
      return child.output;
    },
    async stop() {
      // A connected client would delay the end by two minutes.
      await server.stop('SIGTERM', 5_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
  return temporal;
}
