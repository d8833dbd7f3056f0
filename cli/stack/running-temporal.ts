import type { Client, Connection } from '@temporalio/client';
import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import { assertNamespaceOf, connectToStack } from './connect.ts';
import { findTemporalConflicts } from './open-stack.ts';
import { attachToOwner } from './owner.ts';
import { findTemporal } from './running-parts.ts';
import { findWebUi } from './web-ui.ts';

export interface RunningTemporal {
  connection: Connection;
  namespace: string;
  uiUrl: string | undefined;
  mediaRoot: string;
  close(): Promise<void>;
}

/** Connects to the Temporal of this folder's running stack, or to the one in the settings. Starts nothing. */
export async function openRunningTemporal(settings: Settings, command: string): Promise<RunningTemporal> {
  const { address, namespace } = settings.temporal;
  // Temporal is the last part of a stack that stops.
  const attachment = await attachToOwner(settings.stateFolder, command, { mayStop: true });
  if (attachment !== undefined && findTemporalConflicts(attachment.facts, settings).length === 0) {
    const { facts } = attachment;
    const connection = await connectToStack(settings, facts);
    return {
      connection,
      namespace: facts.namespace,
      uiUrl: facts.uiUrl,
      mediaRoot: facts.mediaRoot,
      async close() {
        await connection.close();
        attachment.detach();
      },
    };
  }
  attachment?.detach();
  const connection = await findTemporal(settings);
  if (connection === undefined) {
    throw new CliError(
      `No Temporal server answers at ${address}. Run \`npx holdfast start\`, or set TEMPORAL_ADDRESS to a server that runs elsewhere.`,
    );
  }
  await assertNamespaceOf(settings, connection);
  const uiUrl = await findWebUi(settings);
  return { connection, namespace, uiUrl, mediaRoot: settings.mediaRoot, close: async () => await connection.close() };
}

/** Does the work with a client of the running Temporal. Returns the exit code of the command. */
export async function withTemporal(
  settings: Settings,
  command: string,
  work: (client: Client, temporal: RunningTemporal) => Promise<number>,
): Promise<number> {
  const temporal = await openRunningTemporal(settings, command);
  try {
    // The SDK's client takes 200 ms to load, so it is imported after a server is found.
    const { createClient } = await import('../../client/connection.ts');
    return await work(createClient(temporal.connection, temporal.namespace, settings.dataConverter), temporal);
  } finally {
    await temporal.close();
  }
}
