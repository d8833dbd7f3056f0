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

/** Without a write-ahead log each step of a run waits for the disk several times. */
export const quickDatabase = ['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'] as const;

/**
 * A task queue keeps the order of its tasks within each of its partitions, of which the server makes four otherwise. The server of
 * this version looks at priorities only with its new matcher, and at fairness keys only where that is on.
 */
const orderedQueues = ['numTaskqueueReadPartitions=1', 'numTaskqueueWritePartitions=1', 'useNewMatcher=true'];
const fairness = 'enableFairness=true';

function queueFlags(settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ['--dynamic-config-value', `matching.${setting}`]);
}

/** Of a server with a new database. */
export const queuesInOrder: readonly string[] = queueFlags([...orderedQueues, fairness]);

/** They come into a new database only. */
export const searchAttributeFlags: readonly string[] = Object.entries(searchAttributeTypes).flatMap(([name, type]) => [
  '--search-attribute',
  `${name}=${type}`,
]);

/**
 * A server with fairness does not see what waits in the queues of a database from before (server 1.29.1): such a database goes on
 * without it. Of a new one it is noted.
 */
function queueFlagsFor(database: string): readonly string[] {
  const note = `${database}.fairness`;
  if (!existsSync(database)) writeFileSync(note, '');
  return existsSync(note) ? queuesInOrder : queueFlags(orderedQueues);
}

/** Temporal's dev server with its Web UI, over a database file that keeps each run's history for the next start. */
export async function startTemporalServer(
  launch: Launch,
  settings: Settings,
  say: (sentence: string) => void,
): Promise<TemporalServer> {
  const { cliPath, address, isGiven, namespace } = settings.temporal;
  if (cliPath === undefined) {
    throw new CliError(
      'Starting Temporal on this machine needs the Temporal CLI, and TEMPORAL_CLI_PATH does not name it. ' +
        'Use the npm scripts (`npm start`, `npm run encode -- …`): they find it or build it.',
    );
  }
  const wanted = parseAddress(address, 7233).port;
  const port = await freePort(wanted);
  if (port !== wanted) {
    if (isGiven) throw new CliError(`Port ${wanted}, which TEMPORAL_ADDRESS names, is taken by another program.`);
    say(`Port ${wanted} is taken by another program; Temporal listens on ${port} instead.`);
  }
  const uiPort = await freePort(port + 1000);
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${port}`, '--ui-port', `${uiPort}`];
  const database = join(settings.stateFolder, 'temporal.db');
  args.push('--namespace', namespace, '--db-filename', database, ...quickDatabase);
  args.push(...queueFlagsFor(database), ...searchAttributeFlags, '--log-level', 'error');
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
