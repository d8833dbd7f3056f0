import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { ClientError } from './client-error.ts';
import { describeEncrypted } from './encrypted.ts';

/** gRPC status NOT_FOUND; the SDK does not export @grpc/grpc-js. */
const notFound = 5;

/** Whether a run cannot be read because Temporal has deleted it, or because its key is unknown here. */
export function isUnreadable(error: unknown): boolean {
  return isDeleted(error) || isEncrypted(error);
}

/** The list may still have a run that Temporal has deleted, and a run its earlier executions. */
export function isDeleted(error: unknown): boolean {
  // oxlint-disable-next-line typescript/no-unsafe-enum-comparison
  return error instanceof WorkflowNotFoundError || (isGrpcServiceError(error) && error.code === notFound);
}

export function isEncrypted(error: unknown): boolean {
  return error instanceof ClientError ? error.problem.kind === 'encrypted' : describeEncrypted(error) !== undefined;
}

/** Undefined if the key of the value is unknown here. */
export async function unlessEncrypted<Value>(value: Promise<Value>): Promise<Value | undefined> {
  return await value.catch((error: unknown) => {
    if (!isEncrypted(error)) throw error;
    return undefined;
  });
}
