import type { Connection } from '@temporalio/client';
import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import { isWanted } from './open-stack.ts';
import { joinOwner } from './owner.ts';
import { findTemporal } from './running.ts';
import { findWebUi } from './web-ui.ts';

export interface RunningTemporal {
  connection: Connection;
  namespace: string;
  uiUrl: string | undefined;
  close(): Promise<void>;
}

/** The Temporal of a stack that another command of this folder runs, else the one that the settings name. Starts nothing. */
export async function openRunningTemporal(settings: Settings, command: string): Promise<RunningTemporal> {
  const { address, namespace } = settings.temporal;
  const { assertNamespace, connectTo } = await import('../temporal.ts');
  const neighbour = await joinOwner(settings.stateFolder, command);
  if (neighbour !== undefined && isWanted(neighbour.facts, settings)) {
    const { facts } = neighbour;
    const connection = await connectTo(settings, facts.temporalAddress);
    return {
      connection,
      namespace: facts.namespace,
      uiUrl: facts.uiUrl,
      async close() {
        await connection.close();
        neighbour.leave();
      },
    };
  }
  neighbour?.leave();
  const connection = await findTemporal(settings);
  if (connection === undefined) {
    throw new CliError(
      `No Temporal server answers at ${address}. \`npm start\` starts one with all of Holdfast; TEMPORAL_ADDRESS names one that runs elsewhere.`,
    );
  }
  await assertNamespace(connection, namespace, address);
  const uiUrl = await findWebUi(settings);
  return { connection, namespace, uiUrl, close: async () => await connection.close() };
}
