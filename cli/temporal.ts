import { Client, Connection } from '@temporalio/client';
import { CliError } from './cli-error.ts';
import type { Settings } from './settings.ts';

/** Imported late (`await import`): the SDK's client takes a fifth of a second to load, in which the stack can already start. */
export async function connectTo(settings: Settings, address: string): Promise<Connection> {
  return await Connection.connect({ ...settings.temporal.connection, address, connectTimeout: 3_000 });
}

/** Undefined while nobody who speaks Temporal's language answers there. */
export async function tryConnect(settings: Settings, address: string): Promise<Connection | undefined> {
  return await connectTo(settings, address).catch(() => undefined);
}

export async function assertNamespace(connection: Connection, namespace: string, address: string): Promise<void> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    throw new CliError(
      `The Temporal server at ${address} does not let us use its namespace "${namespace}": ${(error as Error).message}. ` +
        'Name another one in TEMPORAL_NAMESPACE, or create it: temporal operator namespace create --namespace NAME',
    );
  }
}

export async function hasNamespace(connection: Connection, namespace: string): Promise<boolean> {
  return await connection.workflowService.describeNamespace({ namespace }).then(
    () => true,
    () => false,
  );
}

export function clientOf(connection: Connection, namespace: string): Client {
  return new Client({ connection, namespace });
}
