import { Client, Connection, type ConnectionOptions, type WorkflowClientInterceptor } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { ClientError } from './client-error.ts';

/** A running server answers at once; the SDK's default of 10 s would only delay the error message. */
const connectTimeoutMs = 3_000;

export async function connect(options: ConnectionOptions): Promise<Connection> {
  return await Connection.connect({ ...options, connectTimeout: connectTimeoutMs });
}

/** Undefined if no Temporal server answers. */
export async function tryConnect(options: ConnectionOptions): Promise<Connection | undefined> {
  return await connect(options).catch(() => undefined);
}

export async function assertNamespace(connection: Connection, namespace: string, address: string): Promise<void> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    throw new ClientError(
      { kind: 'namespace_unavailable' },
      `The namespace "${namespace}" of the Temporal server at ${address} is not available: ${(error as Error).message}.`,
    );
  }
}

export async function hasNamespace(connection: Connection, namespace: string): Promise<boolean> {
  return await connection.workflowService.describeNamespace({ namespace }).then(
    () => true,
    () => false,
  );
}

/** `dataConverter`: that of the workers, if they encrypt payloads. */
export function createClient(
  connection: Connection,
  namespace: string,
  dataConverter: DataConverter | undefined,
  interceptors: readonly WorkflowClientInterceptor[] = [],
): Client {
  return new Client({
    connection,
    namespace,
    interceptors: { workflow: [...interceptors] },
    ...(dataConverter !== undefined && { dataConverter }),
  });
}
