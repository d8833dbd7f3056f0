import { ServiceError } from '@temporalio/client';
import { ClientError } from './client-error.ts';
import { hasGrpcStatus } from './grpc-status.ts';

/** Converts Temporal's error for a query into a ClientError if the search attributes are not registered. */
export function asSearchRefusal(thrown: unknown, query: string): unknown {
  const refusal = thrown instanceof ServiceError ? thrown.cause : thrown;
  if (!hasGrpcStatus(refusal, 'INVALID_ARGUMENT') || !query.includes('Holdfast')) return thrown;
  return new ClientError(
    { kind: 'no_search_attributes' },
    `The Temporal server cannot filter runs, because Holdfast's search attributes are not registered: ${refusal.details}.`,
  );
}
