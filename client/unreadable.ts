import { WorkflowNotFoundError } from '@temporalio/client';
import { ClientError } from './client-error.ts';
import { describeEncrypted } from './encrypted.ts';
import { hasGrpcStatus } from './grpc-status.ts';

/** Whether a run cannot be read because Temporal has deleted it, or because its key is unknown here. */
export function isUnreadable(error: unknown): boolean {
  return isDeleted(error) || isEncrypted(error);
}

/** The list may still have a run that Temporal has deleted, and a run its earlier executions. */
export function isDeleted(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || hasGrpcStatus(error, 'NOT_FOUND');
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
