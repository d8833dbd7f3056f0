import type { Connection } from '@temporalio/client';
import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import type { StackFacts } from './owner.ts';

// The SDK's client takes 200 ms to load, so it is imported late, while the stack starts.

export async function connectTo({ temporal }: Settings, address: string): Promise<Connection> {
  const { connect } = await import('../../client/connection.ts');
  return await connect({ ...temporal.connection, address });
}

/**
 * Connects to the server of a stack that another command runs. The server is running, but may answer slowly on a loaded
 * machine.
 */
export async function connectToStack(
  { temporal }: Settings,
  { temporalAddress, command, pid }: Pick<StackFacts, 'temporalAddress' | 'command' | 'pid'>,
  connectTimeoutMs = 30_000,
): Promise<Connection> {
  const { Connection } = await import('@temporalio/client');
  try {
    return await Connection.connect({
      ...temporal.connection,
      address: temporalAddress,
      connectTimeout: connectTimeoutMs,
    });
  } catch (error) {
    throw new CliError(
      `\`npx holdfast ${command}\` (process ${pid}) runs a stack, but its Temporal server at ${temporalAddress} does not answer: ${(error as Error).message}. Try again, or stop that command.`,
    );
  }
}

/** Undefined until a Temporal server answers and has the namespace. */
export async function tryConnectTo({ temporal }: Settings, address: string): Promise<Connection | undefined> {
  const { hasNamespace, tryConnect } = await import('../../client/connection.ts');
  const connection = await tryConnect({ ...temporal.connection, address });
  if (connection === undefined || (await hasNamespace(connection, temporal.namespace))) return connection;
  await connection.close();
  return undefined;
}

/** Throws a ClientError if the server refuses the namespace. */
export async function assertNamespaceOf({ temporal }: Settings, connection: Connection): Promise<void> {
  const { assertNamespace } = await import('../../client/connection.ts');
  await assertNamespace(connection, temporal.namespace, temporal.address);
}

export async function registerIn(connection: Connection, namespace: string): Promise<void> {
  const { registerSearchAttributes } = await import('../../client/search-attributes.ts');
  await registerSearchAttributes(connection, namespace);
}

/** Time for which a local server remembers ended runs. */
const retentionMs = 30 * 24 * 3_600_000;

/** Prolongs the retention of a local server, which is a day: `watch` would encode the files of the day before again. */
export async function prolongRetention(connection: Connection, namespace: string): Promise<void> {
  const { msToTs } = await import('@temporalio/common/lib/time.js');
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(retentionMs) },
  });
}
