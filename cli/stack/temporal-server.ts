import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { searchAttributeTypes } from '../../contract/search-attributes.ts';
import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import type { Launch, LocalProcess } from './local-process.ts';
import { freePort, parseAddress } from './ports.ts';

export interface TemporalServer {
  process: LocalProcess;
  address: string;
  uiUrl: string;
}

/** Write-ahead logging: without it, each step of a run waits for the disk several times. */
export const quickDatabase = ['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'] as const;

/**
 * A task queue keeps the order of tasks only within a partition, and the server's default is four. This server version needs the new
 * matcher for priorities, and a further setting for fairness keys.
 */
const orderedQueues = ['numTaskqueueReadPartitions=1', 'numTaskqueueWritePartitions=1', 'useNewMatcher=true'];
const fairness = 'enableFairness=true';

function queueFlags(settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ['--dynamic-config-value', `matching.${setting}`]);
}

/** Flags for a new database. */
export const queuesInOrder: readonly string[] = queueFlags([...orderedQueues, fairness]);

/**
 * The server ends the connection of a frozen process, and with it the open polls, after 5 s without a sign of life. Its
 * default is 70 s, in which each of these polls takes a task that is lost until its timeout. A loaded process is not
 * cut off: the SDK's own threads answer the ping, and for that they have 3 s.
 */
export const frozenClientFlags: readonly string[] = ['keepAliveTime="2s"', 'keepAliveTimeout="3s"'].flatMap(
  (setting) => ['--dynamic-config-value', `frontend.${setting}`],
);

/** Effective only for a new database. */
export const searchAttributeFlags: readonly string[] = Object.entries(searchAttributeTypes).flatMap(([name, type]) => [
  '--search-attribute',
  `${name}=${type}`,
]);

/**
 * Server 1.29.1 with fairness does not see tasks queued in a database created without it. Such a database stays without fairness; a file
 * marks databases that have it.
 */
function queueFlagsFor(database: string): readonly string[] {
  const note = `${database}.fairness`;
  if (!existsSync(database)) writeFileSync(note, '');
  return existsSync(note) ? queuesInOrder : queueFlags(orderedQueues);
}

/** Starts Temporal's dev server and Web UI with a database file that keeps the histories. */
export async function startTemporalServer(
  launch: Launch,
  settings: Settings,
  say: (sentence: string) => void,
): Promise<TemporalServer> {
  const { cliPath, address, isGiven, namespace } = settings.temporal;
  if (cliPath === undefined) {
    throw new CliError(
      'Starting Temporal on this machine needs the Temporal CLI, but TEMPORAL_CLI_PATH is not set. ' +
        'Use the command (`npx holdfast start`, `npx holdfast encode …`), which finds or builds it.',
    );
  }
  const wanted = parseAddress(address, 7233).port;
  const port = await freePort(wanted);
  if (port !== wanted) {
    if (isGiven)
      throw new CliError(
        `Port ${wanted} of TEMPORAL_ADDRESS is taken by another program. Stop it, or name another port.`,
      );
    say(`Port ${wanted} is taken by another program; Temporal listens on ${port} instead.`);
  }
  const uiPort = await freePort(port + 1000);
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${port}`, '--ui-port', `${uiPort}`];
  const database = join(settings.stateFolder, 'temporal.db');
  args.push('--namespace', namespace, '--db-filename', database, ...quickDatabase);
  args.push(...queueFlagsFor(database), ...frozenClientFlags, ...searchAttributeFlags, '--log-level', 'error');
  return {
    process: launch({
      name: 'Temporal',
      logName: 'temporal',
      command: cliPath,
      args,
      environment: settings.inheritedEnvironment,
    }),
    address: `127.0.0.1:${port}`,
    uiUrl: `http://127.0.0.1:${uiPort}`,
  };
}
