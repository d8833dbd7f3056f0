import { join } from 'node:path';
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

/** A task queue keeps the order of its tasks within each of its partitions, of which the server makes four otherwise. */
export const orderedQueues = ['Read', 'Write'].flatMap((side) => [
  '--dynamic-config-value',
  `matching.numTaskqueue${side}Partitions=1`,
]);

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
  args.push('--namespace', namespace, '--db-filename', join(settings.stateFolder, 'temporal.db'));
  args.push(...quickDatabase, ...orderedQueues, '--log-level', 'error');
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
